"""A conversation that lies deep in itself is laid flat, and means the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.archives.come import ThreadCome
from webapp.archives.from_librechat import thread_of
from webapp.archives.json_text import DEEPEST
from webapp.archives.sources import source
from webapp.archives.unnested import unnested

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"


def deep(count):
    inner = "[]"
    for number in range(count, 0, -1):
        message = {
            "messageId": f"m{number}",
            "parentMessageId": f"m{number - 1}",
            "isCreatedByUser": number % 2 == 1,
            "text": f"Words {number}",
        }
        inner = f'[{json.dumps(message)[:-1]}, "children": {inner}}}]'
    return f'{{"conversationId": "c", "title": "Deep", "messagesTree": {inner}}}'


def test_a_long_conversation_comes_whole(tmp_path):
    path = tmp_path / "in.json"
    path.write_text(deep(3 * DEEPEST))
    with source(path, 1) as found:
        [come] = found.read()
    assert found.program == "LibreChat"
    assert isinstance(come, ThreadCome)
    assert [each.id for each in come.messages] == [f"m{n}" for n in range(1, 3 * DEEPEST + 1)]
    assert come.messages[-1].parent_id == f"m{3 * DEEPEST - 1}"


def test_what_is_nested_otherwise_is_still_refused(tmp_path):
    path = tmp_path / "in.json"
    for much in ("[" * 500 + "]" * 500, '{"children":[' * 300 + "]}" * 300):
        path.write_text(
            f'[{{"conversationId": "c", "messagesTree": [{{"x": {much}}}]}}, {deep(2)}]'
        )
        with source(path, 1) as found:
            damaged, come = found.read()
        assert damaged.why == "It is nested too deeply."
        assert len(come.messages) == 2


def test_the_tree_is_the_same():
    text = (EXPORTS / "librechat.json").read_bytes()
    flat = json.loads(unnested(text))
    assert flat["messagesTree"] == []
    before = {each.id: each for each in thread_of(json.loads(text)).messages}
    assert {each.id: each for each in thread_of(flat).messages} == before


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"children": [{}]}'])
def test_other_things_stay_as_they_are(text):
    assert unnested(text) == text


@given(st.text(alphabet='{}[]":,\\ ac').map(lambda text: '{"messagesTree":' + text))
def test_no_torn_text_breaks_it(text):
    unnested(text.encode())
