"""Chats of Open WebUI's export, of today and of its early days."""

import json
from pathlib import Path

import pytest

from webapp.archives.from_webui import is_one, thread_of
from webapp.chat.citations import kept_excerpts
from webapp.chat.thinking import split
from webapp.chat.tool_calls import tool_calls
from webapp.chat.tree import Tree
from webapp.errors import BadInput

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"
BOAT, FAILED = json.loads((EXPORTS / "open_webui.json").read_text("utf-8"))
NEWER, AS_TEXT, TWICE = json.loads((EXPORTS / "open_webui_newer.json").read_text("utf-8"))
OLD, BARE = json.loads((EXPORTS / "open_webui_old.json").read_text("utf-8"))


def test_all_versions_come_and_the_one_that_was_shown_is_shown():
    come = thread_of(BOAT)
    assert come.thread.id == "webui-11111111-bbbb-4000-8000-000000000001"
    assert (come.thread.title, come.thread.updated) == ("Boat repair", 1735800500)
    tree = Tree(come.messages, come.thread.active_root_id)
    assert list(tree) == ["q1", "a1", "q2", "a3", "a2"]
    assert tree.active_path() == ["q1", "a2"]
    assert not tree.repairs()
    assert tree.message("a2").created_at == 1735800009000
    assert tree.message("q1").metadata["attachments"] == [{"name": "keel.pdf"}]


def test_thinking_calls_and_sources_come_as_such():
    by_id = {each.id: each for each in thread_of(BOAT).messages}
    thinking, text = split(by_id["a1"].text, finished=True)
    assert thinking.text.strip() == "Wood or steel?\nWood, I guess."
    assert text.text.strip() == "With epoxy."
    [call] = tool_calls(by_id["a3"])
    assert (call.id, call.name, call.result) == ("call_9", "shop", "two kinds")
    assert json.loads(call.arguments) == {"what": "epoxy"}
    assert by_id["a3"].text == "The slow one."
    first, second = kept_excerpts(by_id["a2"])
    assert (first.file, first.text) == ("keel.pdf", "Patience mends a keel.")
    assert second.address == "https://keels.example/"


def test_a_failure_and_a_picture_are_told():
    question, answer = thread_of(FAILED).messages
    assert question.text == "Look at this\n\n[A picture]"
    assert answer.error == "The model was not there."


def test_answers_beside_each_other_all_come_and_what_was_made_of_them():
    come = thread_of(NEWER)
    tree = Tree(come.messages, come.thread.active_root_id)
    assert tree.active_path() == ["q1", "a3", "q4", "a5"]
    assert set(tree.children("q1")) == {"a2", "a3", "a2-merged"}
    assert tree.message("a2-merged").text == "Both say: a keel."
    assert not tree.repairs()


def test_what_an_answer_is_made_of_tells_what_its_text_does_not():
    by_id = {each.id: each for each in thread_of(NEWER).messages}
    thinking, text = split(by_id["a2"].text, finished=True)
    assert (thinking.text, text.text) == ("Long and thin.", "A keel.")
    [call] = tool_calls(by_id["a2"])
    assert (call.name, call.result, json.loads(call.arguments)) == ("look", "a keel", {"at": "it"})
    assert by_id["a3"].text == "Or a fin.\n\n```python\nprint(1)\n```\n\n```\n1\n```"


def test_pictures_and_sounds_are_named_and_none_is_in_the_text():
    by_id = {each.id: each for each in thread_of(NEWER).messages}
    assert by_id["q1"].text == "What is this?\n\n[A picture]\n\n[A picture]"
    names = [each["name"] for each in by_id["q1"].metadata["attachments"]]
    assert names == ["keel.pdf", "https://keels.example/"]
    assert by_id["q4"].text == "Draw it\n\n[input audio]\n\n[A picture]"
    assert by_id["a5"].text == (
        "```python\ndraw(a < b)\n```\n\n```\ndrawn\n```\n\nHere: [A picture]\n\n[A picture]"
    )
    assert by_id["a5"].status == "stopped"


def test_a_chat_that_is_a_text_of_its_own_is_read_and_its_failure_told():
    assert is_one(AS_TEXT)
    question, answer = thread_of(AS_TEXT).messages
    assert (question.text, answer.text, answer.error) == ("Hello", "", "The model is gone.")
    assert not is_one({"chat": "{torn"})


def test_calls_that_older_exports_fold_into_one_block_come_apart():
    answer = thread_of(TWICE).messages[1]
    assert [(call.id, call.result) for call in tool_calls(answer)] == [
        ("c1", "once"),
        ("c2", None),
        ("call_3", "twice"),
    ]
    assert (answer.text, answer.error) == ("Done.", "Cut off.")


def test_plain_lists_become_a_line():
    come = thread_of(OLD)
    tree = Tree(come.messages, come.thread.active_root_id)
    assert [tree.message(each).text for each in tree.active_path()] == ["Hello?", "Hello.", "Bye."]
    assert thread_of(BARE).messages[0].text == "Alone"
    assert thread_of(BARE) == thread_of(BARE)


@pytest.mark.parametrize(
    "odd",
    [
        {"chat": {"history": {"messages": {"a": {"role": 1}}}}},
        {"chat": {"messages": []}},
        {"chat": {"messages": [None, 3]}},
        {"messages": [{"role": "assistant", "content": {}, "model": "m"}]},
    ],
)
def test_a_chat_without_words_is_told_in_a_sentence(odd):
    assert is_one(odd)
    with pytest.raises(BadInput, match="no message"):
        thread_of(odd)


def test_what_is_no_chat_is_not_taken_for_one():
    assert not is_one({"chat": None})
    assert not is_one({"title": "x"})
