"""Everything said is found, newest first, and nothing else."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat.trees import said as message
from webapp.search.folding import composed, fold
from webapp.search.index import PINNED, STARRED, TITLE, Filters, FindIndex, Said, said
from webapp.search.question import question_from

ANY = Filters()


@pytest.fixture
def index(tmp_path):
    index = FindIndex(tmp_path / "cache" / "find.sqlite3")
    yield index
    index.close()


def row(id, text, *, thread="t", role="user", moment=1_000, marks=0):
    return Said(thread, id, role, moment, text, marks)


def ids(index, typed, filters=ANY, allowed=lambda _: True):
    return [each.message_id for each in index.found(question_from(typed), filters, allowed)]


def test_words_are_found_anywhere_newest_first(index):
    index.put("t", [row("a", "The tide", moment=1), row("b", "At high TIDE.", moment=3)])
    index.put("u", [row("c", "tidewater", thread="u", moment=2), row("d", "ebb", thread="u")])
    assert ids(index, "tide") == ["b", "c", "a"]
    assert ids(index, "high tide") == ["b"]
    assert ids(index, '"high tide"') == ["b"]
    assert ids(index, '"tide high"') == []


def test_two_chinese_characters_and_short_words_are_found(index):
    index.put(
        "t", [row("a", "我买了一本笔记本。"), row("b", "Use C# or Go here"), row("c", "mango")]
    )
    assert ids(index, "笔记") == ["a"]
    assert ids(index, "本") == ["a"]
    assert ids(index, "go") == ["b"]
    assert ids(index, "c# here") == ["b"]
    assert ids(index, "记笔") == []


def test_a_message_is_replaced_marked_and_removed(index):
    index.put("t", [row("a", "first words")])
    index.put("t", [row("a", "other words")])
    assert ids(index, "first") == []
    assert ids(index, "other") == ["a"]
    index.marks("t", "a", STARRED, on=True)
    assert ids(index, "other", Filters(marks=STARRED)) == ["a"]
    assert ids(index, "other", Filters(marks=PINNED)) == []
    index.marks("t", "a", STARRED, on=False)
    assert ids(index, "other", Filters(marks=STARRED)) == []
    index.remove("t", ["a", "never there"])
    assert ids(index, "other") == []
    assert index.count() == 0


def test_filters_and_rights_come_before_the_end_of_a_page(index):
    rows = [row(f"m{n}", "tide", thread="mine" if n % 2 else "theirs", moment=n) for n in range(20)]
    for each in rows:
        index.put(each.thread_id, [each])
    index.put("mine", [row("", "tide", thread="mine", role=TITLE, moment=100)])
    mine = ids(index, "tide", Filters(role="user"), lambda thread: thread == "mine")
    assert mine == [f"m{n}" for n in range(19, 0, -2)]
    assert ids(index, "tide", Filters(since=5, until=8)) == ["m7", "m6", "m5"]
    assert ids(index, "tide", Filters(role=TITLE)) == [""]


def test_a_whole_thread_is_compared_and_what_is_the_same_stays(index):
    index.put("t", [row("a", "one"), row("b", "two"), row("c", "three")])
    index.replace("t", [row("a", "one"), row("b", "zwei"), row("d", "four")], "now")
    assert index.stamps() == {"t": "now"}
    assert [ids(index, word) for word in ("one", "two", "three")] == [["a"], [], []]
    assert ids(index, "zwei") == ["b"]
    index.put("t", [row("e", "five")])
    assert index.stamps() == {"t": None}
    index.settle("t", "later")
    assert index.stamps() == {"t": "later"}
    index.drop("t")
    assert (index.count(), dict(index.stamps())) == (0, {})


def test_many_of_one_moment_keep_apart(index):
    index.put("t", [row(f"m{n}", "same tide", moment=7) for n in range(50)])
    assert len(set(ids(index, "tide"))) == 50


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough" * 50])
def test_a_torn_index_is_made_anew(tmp_path, content):
    path = tmp_path / "find.sqlite3"
    path.write_bytes(content)
    index = FindIndex(path)
    index.put("t", [row("a", "tide")])
    assert ids(index, "tide") == ["a"]
    index.close()


def test_one_of_another_version_is_made_anew(index, tmp_path):
    index.put("t", [row("a", "tide")])
    index.close()
    with sqlite3.connect(tmp_path / "cache" / "find.sqlite3") as base:
        base.execute("PRAGMA user_version = 99")
    base.close()
    assert index.count() == 0


def test_it_is_read_while_it_is_written(index):
    index.put("t", [row(f"m{n}", "tide", moment=n) for n in range(9)])
    reading = index.found(question_from("tide"), ANY, lambda _: True)
    assert next(reading).message_id == "m8"
    index.put("t", [row("new", "tide", moment=99)])
    assert next(reading).message_id == "m7"
    reading.close()


def test_a_message_is_kept_without_what_was_thought():
    thought = message("a", pinned=True).with_text("<think>secret</think>\n\nThe tide.")
    kept = said(thought, "t")
    assert (kept.role, kept.text.strip(), kept.marks) == ("assistant", "The tide.", PINNED)
    assert said(message("u1", starred=True), "t").marks == STARRED


@settings(deadline=None)
@given(st.lists(st.text(alphabet="aбÉ笔記が 1#+-\"'*\ud800", max_size=12), max_size=6), st.data())
def test_every_piece_of_three_characters_and_more_is_found(tmp_path_factory, texts, data):
    index = FindIndex(tmp_path_factory.mktemp("law") / "find.sqlite3")
    index.put("t", [row(f"m{n}", text, moment=n) for n, text in enumerate(texts)])
    for n, text in enumerate(texts):
        folded = " ".join(fold(composed(text)).split())
        if len(folded) >= 3 and '"' not in folded:
            start = data.draw(st.integers(0, len(folded) - 3))
            piece = folded[start : data.draw(st.integers(start + 3, len(folded)))].strip()
            if len(piece) >= 3 and piece in fold(composed(text)):
                assert f"m{n}" in ids(index, f'"{piece}"')
    index.close()
