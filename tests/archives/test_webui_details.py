"""Folded blocks in answers are taken apart, and what is none stays as it is."""

import pytest

from webapp.archives.webui_details import told


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "<details>\n<summary>Mine</summary>kept</details>",
        '<details type="other" x="1">kept</details>',
        '<details type="reasoning" done="false">never ends',
        "a < b and <details",
    ],
)
def test_other_words_stay(text):
    assert told(text) == (text, [])


def test_thinking_without_words_goes():
    assert told('<details type="reasoning" done="true"><summary>x</summary> </details>ok') == (
        "ok",
        [],
    )


def test_a_call_without_json_is_a_call_all_the_same():
    text, [call] = told(
        '<details type="tool_calls" name="t" arguments="{torn" result="r">x</details>'
    )
    assert text == ""
    assert call["tool"]["function"] == {"name": "t", "arguments": '{"input": "{torn"}'}
    assert (call["tool"]["id"], call["response"]) == ("call_1", "r")


def test_a_long_answer_of_opened_blocks_takes_no_time():
    text = '<details type="reasoning" x="1">' * 3000
    assert told(text) == (text, [])
