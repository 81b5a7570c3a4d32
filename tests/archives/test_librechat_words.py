"""Every kind of part says something, or is passed over."""

import pytest

from webapp.archives.librechat_words import calls_of, failure_of, text_of


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "plain", "content": []}, "plain"),
        ({"text": "plain", "content": [{"type": "agent_update", "text": "x"}]}, "plain"),
        (
            {"content": [{"type": "text", "text": {"value": 3}}, {"type": "image_url"}]},
            "[A picture]",
        ),
        ({"content": [{"type": "think", "think": "Hm."}]}, "<think>\nHm.\n</think>"),
        ({"text": ":::thinking\nnever ends"}, ":::thinking\nnever ends"),
        ({"text": "Sorry", "error": True}, ""),
        ({}, ""),
    ],
)
def test_what_a_message_says(message, text):
    assert text_of(message) == text


def test_why_there_is_no_answer():
    assert failure_of({"error": True}) == "The model could not answer."
    assert failure_of({"error": False, "text": "x"}) == ""
    assert failure_of({"content": [{"type": "error", "text": {"value": "Why"}}]}) == "Why"


def test_calls_of_every_shape():
    function = {"name": "f", "arguments": "{torn", "output": "r"}
    parts = [
        {"type": "tool_call", "tool_call": {"id": "1", "function": function}},
        {"type": "tool_call", "tool_call": {"type": "code_interpreter", "args": {"a": 1}}},
        {"type": "tool_call"},
    ]
    first, second = calls_of({"content": parts})
    assert first["tool"]["function"] == {"name": "f", "arguments": '{"input": "{torn"}'}
    assert first["response"] == "r"
    assert second["tool"]["function"] == {"name": "code_interpreter", "arguments": '{"a": 1}'}
    assert second["tool"]["id"] == "call_2"
