"""Conversations of Claude's export, of today and of its early days."""

import json
from pathlib import Path

import pytest

from webapp.archives.from_claude import is_one, thread_of
from webapp.chat.inlined import file_names, inlined_files
from webapp.chat.messages import is_id
from webapp.chat.thinking import split
from webapp.chat.tool_calls import tool_calls
from webapp.chat.tree import Tree
from webapp.errors import BadInput

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"
ROPES, OLD, EMPTY = json.loads((EXPORTS / "claude.json").read_text("utf-8"))


def test_all_versions_come_with_their_times_and_the_one_that_was_shown_is_shown():
    come = thread_of(ROPES)
    assert come.thread.id == "claude-33333333-dddd-4000-8000-000000000001"
    assert (come.thread.title, come.thread.created) == ("Ropes", 1740823200)
    assert come.thread.updated == 1740826800
    tree = Tree(come.messages, come.thread.active_root_id)
    assert sorted(tree) == ["a1", "a2", "a3", "q1", "q2"]
    assert tree.active_path() == ["q1", "a2"]
    assert tree.children("q1") == ("a1", "a2")
    assert tree.message("q1").created_at == 1740823201250
    assert not tree.repairs()


def test_without_a_pointer_the_newest_is_shown():
    come = thread_of({**ROPES, "current_leaf_message_uuid": None})
    assert Tree(come.messages, come.thread.active_root_id).active_path() == ["q1", "a2"]


def test_thinking_calls_and_files_come_as_such():
    by_id = {each.id: each for each in thread_of(ROPES).messages}
    parts = split(by_id["a1"].text, finished=True)
    assert [(part.kind, part.text.strip()) for part in parts] == [
        ("thinking", "Nylon stretches."),
        ("text", "Let me look."),
        ("thinking", "So polyester."),
        ("text", "Polyester."),
    ]
    [call] = tool_calls(by_id["a1"])
    assert (call.id, call.name, json.loads(call.arguments)) == (
        "toolu_1",
        "web_search",
        {"query": "rope"},
    )
    assert call.result == "Ropes\nhttps://ropes.example/\nPolyester lasts.\n\n[A picture]"
    [pasted] = inlined_files(by_id["q1"])
    assert (pasted.name, pasted.content) == ("Pasted text", "A list of ropes.")
    assert file_names(by_id["q1"]) == ("Pasted text", "rig.pdf", "mast.png")


def test_a_page_beside_the_conversation_can_be_read():
    answer = {each.id: each for each in thread_of(ROPES).messages}["a3"]
    assert answer.text == "Here:\n\n**Ropes**\n\n# Ropes\n\nPolyester."
    assert [(call.id, call.result) for call in tool_calls(answer)] == [
        ("call_1", "OK"),
        ("call_2", "OK too"),
    ]


def test_messages_that_know_no_parent_are_a_line():
    come = thread_of(OLD)
    tree = Tree(come.messages, come.thread.active_root_id)
    assert [tree.message(each).text for each in tree.active_path()] == [
        "An old question",
        "An old answer",
    ]
    assert come.thread.title == "An old question"


def test_without_an_id_it_has_the_same_one_each_time():
    bare = {"chat_messages": OLD["chat_messages"]}
    assert thread_of(bare) == thread_of(bare)
    assert is_id(thread_of(bare).thread.id)


@pytest.mark.parametrize(
    "odd",
    [
        EMPTY,
        {"chat_messages": [None, 3, {}]},
        {"chat_messages": [{"uuid": 7, "content": "x", "attachments": 3, "sender": []}]},
    ],
)
def test_one_without_words_is_told_in_a_sentence(odd):
    assert is_one(odd)
    with pytest.raises(BadInput, match="no message"):
        thread_of(odd)


def test_other_things_are_not_taken_for_one():
    assert not is_one({"chat_messages": None})
    assert not is_one({"uuid": "x", "name": "y"})
