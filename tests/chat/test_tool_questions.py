"""Whether a reply shows that a model calls tools well."""

import pytest

from webapp.chat.tool_questions import called_well, kept_quiet

NAMES = ("retrieve", "list_attachments")
CALL = '<tool_call>{"name": "retrieve", "arguments": {"query": "notice period"}}</tool_call>'


def test_one_readable_call_is_called_well():
    assert called_well(CALL, NAMES)
    assert called_well(f"Let me look. {CALL}", NAMES)


@pytest.mark.parametrize(
    "reply",
    [
        "The notice period is 90 days.",
        CALL * 2,
        CALL.replace("retrieve", "list_attachments"),
        CALL.replace('"query"', "query"),
        "",
    ],
)
def test_anything_else_is_not(reply):
    assert not called_well(reply, NAMES)


def test_a_greeting_is_answered_in_words():
    assert kept_quiet("I am fine.", NAMES)
    assert not kept_quiet(CALL, NAMES) and not kept_quiet(" ", NAMES)
