"""Answers that are told item by item."""

import pytest

from webapp.archives.webui_output import made_of


@pytest.mark.parametrize("odd", [None, "text", {}, [], [None, 3], [{"type": "message"}]])
def test_what_tells_nothing_is_nothing(odd):
    assert made_of(odd) == ("", "", [])


def test_thinking_words_and_calls_are_told_apart():
    thinking, said, [call] = made_of(
        [
            {"type": "reasoning", "content": [], "summary": [{"text": "In short."}]},
            {"type": "message", "content": "One."},
            {"type": "function_call", "id": "c", "name": "", "arguments": "{torn"},
            {"type": "function_call_output", "call_id": "c", "output": "yes"},
            {"type": "reasoning", "content": [{"text": "Again."}]},
            {"type": "message", "content": [{"text": "Two."}, {"text": ""}]},
            {"type": "open_webui:code_interpreter", "code": "x", "output": "3"},
            {"type": "open_webui:code_interpreter", "code": ""},
        ]
    )
    assert thinking == "In short.\n\nAgain."
    assert said == "One.\n\nTwo.\n\n```\nx\n```\n\n```\n3\n```"
    assert call["tool"]["id"] == "c"
    assert call["tool"]["function"] == {"name": "tool", "arguments": '{"input": "{torn"}'}
    assert call["response"] == "yes"
