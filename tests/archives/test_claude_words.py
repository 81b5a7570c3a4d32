"""Every kind of block says something, or is passed over."""

import pytest

from webapp.archives.claude_words import calls_of, text_of


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": " "}], "a"),
        ([{"type": "image"}], "[A picture]"),
        ([{"type": "something_new", "text": "words"}], "words"),
        ([{"type": "token_budget"}], "plain"),
        ([{"type": "tool_result", "text": "hidden"}], "plain"),
        ([{"type": "thinking", "thinking": "Hm."}], "<think>\nHm.\n</think>"),
        ([{"type": "thinking", "thinking": ""}], "plain"),
        (None, "plain"),
    ],
)
def test_what_a_message_says(content, text):
    assert text_of({"content": content, "text": "plain"}) == text


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (
            {"command": "create", "content": "x = 1", "language": "python", "type": "code"},
            "```python\nx = 1\n```",
        ),
        ({"command": "rewrite", "content": "x", "title": "T"}, "**T**\n\n```\nx\n```"),
        ({"command": "update", "content": "x"}, ""),
        ({"content": "x"}, ""),
        (None, ""),
    ],
)
def test_what_was_written_beside_the_conversation(asked, text):
    assert text_of({"content": [{"type": "tool_use", "input": asked}]}) == text


def test_a_call_without_a_result_is_a_call_all_the_same():
    [call] = calls_of({"content": [{"type": "tool_use", "input": "odd"}]})
    assert call["tool"]["function"] == {"name": "tool", "arguments": '{"input": "odd"}'}
    assert (call["tool"]["id"], call["response"]) == ("call_1", "")
