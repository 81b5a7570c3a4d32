"""A thread as JSON holds all that is kept of it, and nothing of whose it is."""

import json

import pytest
from hypothesis import given

from tests.chat.trees import any_trees, said
from webapp.archives.thread_json import pieces
from webapp.chat.messages import Message, new_thread
from webapp.errors import BadInput
from webapp.threads import exact

THREAD = new_thread(id="t", title="Tides", created=1)


@given(any_trees())
def test_every_message_of_any_tree_stands_in_it_as_it_is(tree):
    messages = [tree.message(id) for id in tree]
    found = json.loads(b"".join(pieces(THREAD, messages, [{"id": "f"}])))
    assert found["thread"] == THREAD.data
    assert found["files"] == [{"id": "f"}]
    assert found["messages"] == [dict(each.data) for each in messages]


def test_numbers_and_odd_characters_keep_their_spelling():
    odd = Message(exact.loads('{"id":"a","role":"user","price":1.10,"text":"a\\ud800"}'))
    assert b'"price":1.10,"text":"a\\ud800"' in b"".join(pieces(THREAD, [odd], []))


def test_owner_and_shares_stay_behind():
    shared = THREAD.with_metadata({"owner": "ann", "shares": {"all": "read"}, "kept": 1})
    asked = Message({"id": "q", "role": "user", "metadata": {"askedBy": "ann", "kept": 1}})
    found = json.loads(b"".join(pieces(shared, [asked], [])))
    assert found["thread"]["metadata"] == found["messages"][0]["metadata"] == {"kept": 1}


def test_what_is_nested_too_deeply_is_said():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadInput, match="nested"):
        b"".join(pieces(THREAD, [said("a").with_fields(deep=deep)], []))
