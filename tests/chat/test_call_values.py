"""A name and arguments are found in every shape, or a sentence says what is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.call_values import calls_in, calls_in_text, loaded, malformed, named

NAMES = ("retrieve", "list_attachments")
RYE = {"query": "rye"}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "arguments", "function", "tool_calls", "id", "x"]), inner
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "value",
    [
        {"name": "retrieve", "arguments": RYE},
        {"name": "retrieve", "parameters": RYE},
        {"tool": "retrieve", "args": RYE},
        {"function": "retrieve", "input": json.dumps(RYE)},
        {"type": "function", "function": {"name": "retrieve", "arguments": json.dumps(RYE)}},
        {"tool_call": {"name": "retrieve", "arguments": RYE}},
        json.dumps({"name": "retrieve", "arguments": json.dumps(json.dumps(RYE))}),
        {"name": "retrieve", "query": "rye"},
        {"name": "rag-internal.retrieve", "arguments": RYE},
    ],
)
def test_a_call_has_many_shapes(value):
    (call,) = calls_in(value, NAMES)
    assert (call.name, call.arguments, call.problem) == ("retrieve", RYE, "")


def test_a_call_that_says_nothing_of_arguments_has_none():
    for value in ({"name": "list_attachments"}, {"name": "list_attachments", "arguments": None}):
        (call,) = calls_in(value, NAMES)
        assert (call.arguments, call.problem) == ({}, "")


@pytest.mark.parametrize(
    "arguments", ["foo", '"foo"', "3", "[1]", "true", "", "null", 3, [1], True]
)
def test_arguments_that_are_no_object_are_told(arguments):
    call = named("retrieve", arguments, NAMES, "7")
    assert (call.id, call.name, call.arguments) == ("7", "retrieve", {})
    assert call.problem.startswith("The arguments of retrieve are not a JSON object.")


def test_an_unknown_tool_is_told_with_those_that_there_are():
    assert named("search", {}, NAMES).problem == (
        "There is no tool “search”. There are: list_attachments, retrieve."
    )
    assert "answer without" in named("search", {}, ()).problem
    assert named("search", {}, None).problem == ""
    assert len(named("s" * 10_000, {}, NAMES).problem) < 200


def test_the_name_in_ruins_is_kept():
    assert malformed('{"name": "retrieve", "arguments": {').name == "retrieve"
    assert malformed("nothing").name == ""


@given(anything)
def test_whatever_stands_in_a_tag_is_at_least_one_call(value):
    calls = calls_in(value, NAMES)
    assert calls
    assert all(call.problem or call.name in NAMES for call in calls)
    assert all(isinstance(call.arguments, dict) for call in calls)


@given(anything)
def test_in_text_only_calls_of_known_tools_are_calls(value):
    assert all(call.name in NAMES for call in calls_in_text(value, NAMES))


def test_one_value_that_is_no_known_call_makes_all_of_it_text():
    good = {"name": "retrieve", "arguments": RYE}
    assert len(calls_in_text([good, good], NAMES)) == 2
    assert calls_in_text([good, {"name": "search"}], NAMES) == []
    assert calls_in_text([], NAMES) == []


@pytest.mark.parametrize("text", ["", "{", "NaN", "[1,]", "[" * 100_000, "1" * 5_000])
def test_what_is_no_json_is_refused_with_one_kind_of_error(text):
    with pytest.raises(ValueError, match=r"."):
        loaded(text)
