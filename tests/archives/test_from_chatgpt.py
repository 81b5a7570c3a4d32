"""Conversations of ChatGPT's export, with all that such an export may hold."""

import json
from pathlib import Path

import pytest

from webapp.archives.from_chatgpt import attached, is_one, thread_of
from webapp.chat.messages import is_id
from webapp.chat.thinking import split, spoken
from webapp.chat.tool_calls import result_of, tool_calls
from webapp.chat.tree import Tree
from webapp.errors import BadInput

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"
HARBOUR, TOOLS, EMPTY, UNTITLED = json.loads((EXPORTS / "chatgpt.json").read_text("utf-8"))

HIDDEN, KINDS, BROKEN = json.loads((EXPORTS / "chatgpt_kinds.json").read_text("utf-8"))


def tree_of(come):
    return Tree(come.messages, come.thread.active_root_id)


def test_all_versions_come_and_the_one_that_was_shown_is_shown():
    come = thread_of(HARBOUR)
    assert (come.thread.id, come.thread.title) == (
        "chatgpt-67000000-aaaa-4000-8000-000000000001",
        "Harbour hours",
    )
    assert (come.thread.created, come.thread.updated) == (1735700000.5, 1735700900.5)
    tree = tree_of(come)
    assert list(tree) == ["q1", "a1", "q2", "q2a", "a2"]
    assert tree.children("q1") == ("a1", "a2")
    assert tree.active_path() == ["q1", "a2"]
    assert not tree.repairs()
    assert tree.message("a1").metadata["usage"] == {"model": "gpt-4o"}
    assert tree.message("q1").created_at == 1735700001500
    assert tree.message("q2a").status == "stopped"


def test_what_was_only_told_to_the_model_or_says_nothing_stays_behind():
    words = "\n".join(each.text for each in thread_of(HARBOUR).messages)
    assert "I sail" not in words
    assert len(thread_of(HARBOUR).messages) == 5
    with pytest.raises(BadInput, match="no message"):
        thread_of(EMPTY)


def test_calls_results_thinking_pictures_and_sources_come_as_such():
    tree = tree_of(thread_of(TOOLS))
    assert tree.active_path() == ["q", "run", "out", "web", "quote", "end"]
    question = tree.message("q")
    assert question.text == "[A picture: 640 × 480]\nAdd up this table, and the one in the file."
    assert question.metadata["attachments"] == [{"name": "tides.csv"}, {"name": "photo.png"}]
    run = tree.message("run")
    assert "There are two columns." in run.text
    assert spoken(run.text).strip() == "```\nprint(1 + 2)\n```"
    [call] = tool_calls(run)
    assert (call.id, call.name, json.loads(call.arguments)) == (
        "run",
        "python",
        {"input": "print(1 + 2)"},
    )
    assert result_of(tree.message("out")) == "run"
    assert json.loads(tool_calls(tree.message("web"))[0].arguments)["search_query"]
    assert result_of(tree.message("quote")) == "web"
    assert tree.message("quote").text == "Tides\nhttps://tides.example/\nHigh water at six."
    end = tree.message("end").text
    assert end.endswith("High water is at six ([Tides](https://tides.example/)).")


def test_what_its_page_hid_is_no_message_and_cuts_nothing():
    tree = tree_of(thread_of(HIDDEN))
    assert list(tree) == ["q", "c1", "r1", "a1", "a2"]
    assert tree.active_path() == ["q", "a2"]
    assert not tree.repairs()
    assert result_of(tree.message("r1")) == "c1"
    assert tree.message("a1").parent_id == "r1"
    assert tree.message("a1").status == "stopped"
    thinking, text = split(tree.message("a2").text, finished=True)
    assert thinking.text == "Looking\nIt is tall.\n\nOr is it the other one?"
    assert text.text == "About thirty metres."


def test_every_kind_of_content_says_what_it_holds():
    tree = tree_of(thread_of(KINDS))
    texts = {id: tree.message(id).text for id in tree}
    assert tree.active_path() == list(texts)
    assert texts == {
        "voice": "What do you see?",
        "said": "A harbour.",
        "mute": "[audio]\n[video]",
        "py": "```python\nplot()\n```",
        "plot": "[A picture: 640 × 320]",
        "screen": "Tides\nhttps://tides.example/\n[A picture: 800 × 600]",
        "page": "Piers\nhttps://piers.example/\nOf wood.",
        "code": "42",
        "fail": "tool_error: robots.txt says no",
        "canvas": "**knots.py**\n\n```python\ntie = 1\n```",
        "made": "Made.",
        "draw": "[A picture: 800 × 600: a pier]",
        "end": "Porto has piers ([Piers (wood)](<https://piers.example/>)) and a plan (plan.pdf)."
        " See [the map](<https://map.example/>)."
        " Old notes([Notes](<https://notes.example/>)) and【4†plan.pdf】.",
    }
    assert result_of(tree.message("plot")) == "py"
    assert json.loads(tool_calls(tree.message("canvas"))[0].arguments)["name"] == "knots.py"


def test_rings_and_orphans_are_all_there():
    come = thread_of(BROKEN)
    tree = tree_of(come)
    assert sorted(tree) == ["a", "after", "b", "found", "lost"]
    assert tree.message("after").parent_id == "found"
    assert not tree.repairs()
    assert come.thread.title == "An orphan"


@pytest.mark.parametrize("recipient", ["assistant", "user", "all", "", None])
def test_an_answer_to_its_reader_is_no_call(recipient):
    said = {"author": {"role": "assistant"}, "content": {"parts": ["Yes"]}, "recipient": recipient}
    [message] = thread_of({"mapping": {"a": {"message": said}}}).messages
    assert not tool_calls(message)


def test_files_that_came_along_are_named_and_pictures_are_not_files():
    assert attached(TOOLS) == {"file-Tide1": "tides.csv"}


def test_without_title_or_time_the_words_stand_in():
    come = thread_of(UNTITLED)
    assert come.thread.title == "No title, no time"
    assert come.messages[0].created_at == 0


def test_the_same_conversation_has_the_same_id_each_time():
    bare = {"mapping": UNTITLED["mapping"]}
    assert thread_of(bare).thread.id == thread_of(bare).thread.id
    assert is_id(thread_of(bare).thread.id)
    assert is_id(thread_of({**bare, "id": "../../etc"}).thread.id)


@pytest.mark.parametrize(
    "odd",
    [
        {"mapping": None},
        {"mapping": []},
        {"mapping": {"a": 1, "b": None}},
        {"mapping": {"a": {"message": {"content": [], "author": 3, "metadata": "x"}}}},
        {"mapping": {"a": {"message": {"content": {"parts": [None, 1, [2]]}}, "children": "abc"}}},
        {"mapping": {"a": {"parent": "a", "message": {"content": {"parts": [""]}}}}, "title": 7},
    ],
)
def test_what_is_no_conversation_is_told_in_a_sentence(odd):
    assert is_one(odd)
    with pytest.raises(BadInput):
        thread_of(odd)
