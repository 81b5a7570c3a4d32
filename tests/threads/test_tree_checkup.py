from pathlib import Path

import pytest

from tests.threads.store_contract import said
from webapp.chat.records import Put
from webapp.chat.tree import Tree
from webapp.threads import log
from webapp.threads.replay import Replay
from webapp.threads.tree_checkup import mend, problems

FIELD_CASES = Path(__file__).parent.parent / "data" / "threads"


def answer(id, parent, **metadata):
    return said(id, parent=parent, role="assistant").with_metadata(metadata)


def question(id, parent=None, **metadata):
    return said(id, parent=parent).with_metadata(metadata)


def case(name):
    lines = (FIELD_CASES / name / "messages.jsonl").read_bytes().splitlines(keepends=True)
    return [line.record.message for line in log.read(lines, [])]


HEALTHY = [question("q", activeChildId="b"), answer("a", "q"), answer("b", "q")]
WRONG = {
    "an orphan": ([*HEALTHY, question("c", "gone")], "follows one that is not there: c."),
    "a ring": ([*HEALTHY, question("c", "d"), answer("d", "c")], "in a ring: c, d."),
    "its own parent": ([*HEALTHY, question("c", "c")], "1 message follows itself: c."),
    "a first orphan": ([question("c", "gone"), *HEALTHY], "not there: c."),
    "a first ring": ([question("c", "d"), answer("d", "c"), *HEALTHY], "in a ring: c, d."),
    "a loose answer": ([*HEALTHY, answer("c", None)], "though its question is there: c."),
    "a stale pointer": (
        [question("q", activeChildId="x"), answer("a", "q", activeChildId="q")],
        "show some that do not follow them: q, a.",
    ),
}


@pytest.mark.parametrize(("messages", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_and_mended_and_no_word_is_changed(messages, sentence):
    (told,) = problems(messages, None)
    assert told.endswith(sentence)
    mended = Replay([*map(Put, messages), *mend(messages, None).records]).messages()
    assert problems(mended, None) == []
    assert [each.text for each in mended] == [each.text for each in messages]
    assert Tree(mended).active_path() == Tree(messages).active_path()


def test_a_healthy_thread_and_a_straight_line_are_left_alone():
    straight = [said(id).without_metadata("parentId") for id in "abc"]
    for messages in (HEALTHY, straight, []):
        assert problems(messages, None) == []
        assert mend(messages, "a" if messages is straight else None).records == ()


def test_a_beginning_that_is_not_there_is_told_and_becomes_the_one_shown():
    messages = [*HEALTHY, question("q2")]
    assert problems(messages, "gone") == ["The thread shows a beginning that is not there: gone."]
    assert mend(messages, "gone").active_root == "q2"
    assert mend(messages, "q").active_root == "q"
    assert mend([], "gone").active_root is None


@pytest.mark.parametrize("name", ["stale-pointers", "detached-answers"])
def test_field_cases_are_told_and_mended(name):
    messages = case(name)
    assert problems(messages, None)
    found = mend(messages, None)
    mended = Replay([*map(Put, messages), *found.records]).messages()
    assert problems(mended, None) == []
    assert [each.text for each in mended] == [each.text for each in messages]
