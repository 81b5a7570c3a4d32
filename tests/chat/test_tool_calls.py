"""Calls as different programs write them."""

import pytest

from tests.chat.windows import call, message, result
from webapp.chat.tool_calls import ToolCall, result_of, tool_calls, written


def test_calls_with_results_elsewhere():
    assert tool_calls(call("m", "c1", "c2")) == (
        ToolCall("c1", "retrieve", '{"query": "rye"}'),
        ToolCall("c2", "retrieve", '{"query": "rye"}'),
    )
    assert result_of(result("m", "c1")) == "c1"


def test_calls_in_the_shape_of_servers():
    given = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]
    said = message("m", "assistant", tool_calls=given)
    assert tool_calls(said) == (ToolCall("c", "f", '{"a": 1}'),)


def test_calls_with_their_results_inside():
    inside = [{"tool": {"id": "c", "function": {"name": "f", "arguments": "{}"}}, "response": "r"}]
    part = {"type": "tool-list", "toolCallId": "d", "input": {"a": 1}, "output": {"n": 2}}
    newer = {"type": "tool_call", "tool_call_id": "e", "tool_name": "see", "output": "it"}
    said = message("m", "assistant", tool_calls=inside).with_fields(content=[part, newer])
    assert tool_calls(said) == (
        ToolCall("c", "f", "{}", "r"),
        ToolCall("d", "list", '{"a": 1}', '{"n": 2}'),
        ToolCall("e", "see", "{}", "it"),
    )


@pytest.mark.parametrize("given", ['"foo"', "3", "[1]", "true", "", "{", None, "[" * 100_000])
def test_arguments_are_always_an_object(given):
    said = message("m", "assistant").with_fields(
        tool_calls=[{"id": "c", "name": "f", "arguments": given}]
    )
    assert [each.arguments for each in tool_calls(said)] == ["{}"]


@pytest.mark.parametrize("value", ["x", 3, [None, 1, "c", {}], {"id": "c", "name": "f"}])
def test_what_is_no_call_is_passed_over(value):
    assert tool_calls(message("m", "assistant", tool_calls=value)) == ()


def test_only_answers_call_and_only_tools_answer_calls():
    assert tool_calls(call("m", "c").with_fields(role="user")) == ()
    assert result_of(result("m", "c").with_fields(role="user")) == ""


def test_a_call_as_text():
    assert written(ToolCall("c", 'f"', '{"a": 1}')) == (
        '<tool_call>\n{"name": "f\\"", "arguments": {"a": 1}}\n</tool_call>'
    )
