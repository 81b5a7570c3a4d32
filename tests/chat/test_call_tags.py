"""Calls in the tags of a model's family, from the tag to their end."""

import pytest

from webapp.chat.call_cursor import Cursor
from webapp.chat.call_tags import FUNCTION, MISTRAL, calls_at

NAMES = ("retrieve", "list_attachments")
CALL = '{"name": "retrieve", "arguments": {"query": "rye"}}'


def found(text, opening="<tool_call>"):
    cursor = Cursor()
    cursor.chars, cursor.over = list(text), True
    waiting = calls_at(cursor, 0, opening, NAMES)
    try:
        next(waiting)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits for more of a text that is over")


def test_the_call_and_the_place_behind_its_closing_tag():
    text = f"<tool_call>{CALL}</tool_call>"
    calls, end, missing = found(f"{text} words")
    assert [(call.name, dict(call.arguments)) for call in calls] == [("retrieve", {"query": "rye"})]
    assert end == len(text) and not missing


def test_a_closing_tag_that_did_not_come_is_told():
    calls, end, missing = found(f"<tool_call>{CALL} words")
    assert len(calls) == 1 and missing and end == len(f"<tool_call>{CALL}")


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        (f"[TOOL_CALLS][{CALL}, {CALL}]", MISTRAL),
        ('[TOOL_CALLS]retrieve{"query": "rye"}; list_attachments{}', MISTRAL),
        (f"<tool_call>{CALL}\n{CALL}</tool_call>", "<tool_call>"),
    ],
)
def test_several_calls_in_one_tag(text, opening):
    calls, _, _ = found(text, opening)
    assert calls[0].name == "retrieve" and len(calls) >= 1 + (opening == "<tool_call>")


def test_parameters_in_tags_of_their_own_keep_their_types():
    text = (
        "<function=retrieve><parameter=query>rye</parameter><parameter=top_k>3</parameter>"
        "</function>"
    )
    calls, end, _ = found(text, FUNCTION)
    assert dict(calls[0].arguments) == {"query": "rye", "top_k": 3} and end == len(text)


def test_a_tag_that_is_only_mentioned_is_no_call():
    assert found("<tool_call> is the tag that models write.\n\nMore.") is None


def test_what_cannot_be_read_is_one_call_with_a_problem():
    calls, _, _ = found('<tool_call>{"name": "retrieve", "arguments": {"query</tool_call> words')
    assert [bool(call.problem) for call in calls] == [True] and calls[0].name == "retrieve"
