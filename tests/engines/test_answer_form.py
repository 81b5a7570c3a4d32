import math
from types import MappingProxyType

import pytest

from tests.engines.engine_contract import ask
from webapp.engines.answer_form import checked
from webapp.engines.engine import Request
from webapp.errors import EngineFailed


def nested(levels):
    schema = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def test_a_request_that_demands_nothing_is_taken_as_it_is():
    request = ask("Hi")
    assert checked(request) is request


def test_schema_and_tools_become_plain_values_that_nobody_else_holds():
    schema, tool = {"enum": ("a", "b")}, {"type": "function"}
    request = checked(Request("r", (), schema=MappingProxyType(schema), tools=(tool,)))
    assert (request.schema, request.tools) == ({"enum": ["a", "b"]}, ({"type": "function"},))
    assert request.tools[0] is not tool


@pytest.mark.parametrize(
    "wrong",
    [
        {"enum": [object()]},
        {"enum": [math.nan]},
        [1],
        "text",
        nested(32),
        nested(5000),
        {"enum": ["x" * 20_000]},
    ],
    ids=["object", "nan", "list", "text", "deep", "too deep", "long"],
)
def test_what_is_no_schema_is_refused_with_a_sentence(wrong):
    with pytest.raises(EngineFailed, match="schema") as told:
        checked(Request("r", (), schema=wrong))
    assert told.value.do


def test_a_tool_that_is_no_json_is_refused():
    with pytest.raises(EngineFailed, match="A tool of the request"):
        checked(Request("r", (), tools=({"name": b"look"},)))


def test_a_schema_may_be_nested_as_deep_as_is_told():
    assert checked(Request("r", (), schema=nested(31))).schema == nested(31)
