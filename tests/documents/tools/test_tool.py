"""What holds for every tool: one outcome for every call, and no way out of the conversation."""

import json

import pytest

from webapp.documents.tools import TOOLS
from webapp.documents.tools.tool import call, checked
from webapp.errors import BadInput

REQUIRED = {
    "list_attachments": [],
    "retrieve": ["query"],
    "get_chunks": ["file_id", "start_order", "end_order"],
}
HOSTS_OWN = {"thread_id", "project_id", "scope"}

every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS.keys())


def good(ids):
    return {
        "query": "days of notice",
        "file_id": ids["contract.txt"],
        "start_order": 0,
        "end_order": 0,
    }


def test_the_tools_are_those_that_models_were_taught():
    assert {
        name: tool.schema(3)["function"]["parameters"]["required"] for name, tool in TOOLS.items()
    } == REQUIRED


@every_tool
def test_a_schema_asks_for_nothing_that_is_the_host_s(tool):
    about = tool.schema(3)["function"]
    assert about["name"] == tool.name and about["description"]
    assert not HOSTS_OWN & set(about["parameters"]["properties"])
    assert set(about["parameters"]["required"]) <= set(about["parameters"]["properties"])
    json.dumps(about)


@every_tool
def test_a_good_call_gives_one_json_object(tool, reach, ids):
    outcome = call(tool, reach, good(ids))
    assert outcome.problem == ""
    assert isinstance(json.loads(outcome.text), dict)


@every_tool
@pytest.mark.parametrize("key", sorted(HOSTS_OWN))
def test_no_argument_reaches_into_another_thread(tool, reach, ids, key):
    outcome = call(tool, reach, {**good(ids), key: "other", "top_k": 20})
    assert "secret" not in outcome.text


@every_tool
@pytest.mark.parametrize("value", [None, 3.5, True, [], {}, "", "  ", "\ud800", "\0", 10**40])
def test_bad_arguments_give_one_result(tool, reach, value):
    arguments = dict.fromkeys(("query", "file_id", "start_order", "end_order", "top_k"), value)
    outcome = call(tool, reach, arguments)
    said = json.loads(outcome.text)
    assert ("error" in said) == bool(outcome.problem)


@every_tool
def test_a_call_without_arguments_names_what_is_missing(tool, reach):
    outcome = call(tool, reach, {})
    assert all(f"“{name}”" in outcome.problem for name in REQUIRED[tool.name][:1])


def test_numbers_are_brought_into_their_range_and_texts_that_are_numbers_are_taken():
    parameters = {
        "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 3}},
        "required": ["n"],
    }
    given = {"9": 3, 9: 3, -4: 1, 2.0: 2, " 2 ": 2}
    assert {key: checked({"n": key}, parameters)["n"] for key in given} == given
    with pytest.raises(BadInput, match="whole number"):
        checked({"n": "two"}, parameters)


def test_a_text_that_looks_like_a_number_is_taken_as_the_text():
    parameters = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
    assert checked({"query": 2024}, parameters) == {"query": "2024"}
    assert checked({"query": 1.5}, parameters) == {"query": "1.5"}
    for value in (True, [2024], {}):
        with pytest.raises(BadInput, match="not a text"):
            checked({"query": value}, parameters)
