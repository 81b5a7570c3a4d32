"""Conversations of LibreChat's export, within each other and as a list."""

import json
from pathlib import Path

import pytest

from webapp.archives.from_librechat import is_one, thread_of
from webapp.chat.thinking import split, spoken
from webapp.chat.tool_calls import tool_calls
from webapp.chat.tree import Tree
from webapp.errors import BadInput

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"
ANCHORS = json.loads((EXPORTS / "librechat.json").read_text("utf-8"))
BUOYS = json.loads((EXPORTS / "librechat_flat.json").read_text("utf-8"))


def by_id(value):
    return {each.id: each for each in thread_of(value).messages}


def test_all_versions_come_with_their_times():
    come = thread_of(ANCHORS)
    assert come.thread.id == "librechat-44444444-eeee-4000-8000-000000000001"
    assert (come.thread.title, come.thread.created) == ("Anchors", 1743501600.25)
    tree = Tree(come.messages, come.thread.active_root_id)
    assert list(tree) == ["q1", "a1", "q2", "a3", "a2", "q9", "a9"]
    assert tree.children("q1") == ("a1", "a2")
    assert tree.message("a2").created_at == 1743501609250
    assert tree.message("a3").status == "stopped"
    assert tree.message("a1").metadata["usage"] == {"model": "gpt-4o"}
    assert not tree.repairs()


def test_thinking_calls_pictures_and_failures_come_as_such():
    found = by_id(ANCHORS)
    assert found["q1"].text == "Which anchor for mud?\n\n[A picture: 10 × 20]"
    assert found["q1"].metadata["attachments"] == [{"name": "mud.pdf"}, {"name": "mud.png"}]
    assert spoken(found["a1"].text) == "Let me look.\n\n[A picture: 320 × 200]\n\nA plough."
    assert "Mud is soft." in found["a1"].text
    [call] = tool_calls(found["a1"])
    assert (call.name, call.result, json.loads(call.arguments)) == (
        "search",
        "A plough.",
        {"q": "mud"},
    )
    thinking, text = split(found["a2"].text, finished=True)
    assert (thinking.text, text.text) == ("Soft ground.", "A fluke.")
    assert (found["a9"].text, found["a9"].error) == ("", "No key.")


def test_a_list_becomes_the_same_tree():
    come = thread_of(BUOYS)
    tree = Tree(come.messages, come.thread.active_root_id)
    assert list(tree) == ["q", "a", "b"]
    assert tree.children("q") == ("a", "b")
    assert tree.message("b").error == "Too long."


@pytest.mark.parametrize(
    "odd",
    [
        {"conversationId": "c", "messages": []},
        {"conversationId": "c", "messagesTree": [None, {"children": 3}]},
        {"conversationId": "c", "messages": [{"messageId": "a", "content": 3, "files": "x"}]},
    ],
)
def test_one_without_words_is_told_in_a_sentence(odd):
    assert is_one(odd)
    with pytest.raises(BadInput, match="no message"):
        thread_of(odd)


@pytest.mark.parametrize("odd", [{"messages": []}, {"conversationId": "c"}, {"conversationId": 3}])
def test_other_things_are_not_taken_for_one(odd):
    assert not is_one(odd)
