"""Everything said is found, in whatever state the index was left."""

import pytest

from webapp.chat.messages import new_message
from webapp.search.index import SearchIndex
from webapp.search.question import question_from


def said(id, text, at=1):
    return new_message(id=id, thread_id="t", role="user", text=text, created_at=at)


class Shelf:
    def __init__(self, path):
        self.path, self.index, self.threads = path, SearchIndex(path, self.read), {}

    def read(self, thread_id):
        return self.threads[thread_id]

    def find(self, typed, threads=None):
        states = {each: str(hash(tuple(m.text for m in ms))) for each, ms in self.threads.items()}
        assert self.index.catch_up(states, 10) == 0
        allowed = states if threads is None else threads
        return [hit.message_id for hit in self.index.find(question_from(typed), allowed, 10)]


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path / "cache" / "search.sqlite3")


def test_words_parts_of_words_short_words_and_two_chinese_characters_are_found(shelf):
    shelf.threads["t"] = [said("a", "Éclairs for AI"), said("b", "我住在北京市", at=2)]
    for typed, found in (("eclair", "a"), ("clai", "a"), ("ai", "a"), ("北京", "b"), ("京", "b")):
        assert shelf.find(typed) == [found]
    assert shelf.find("eclair 北京") == shelf.find("ai zebra") == []


def test_a_changed_message_is_found_by_its_new_words_only_and_a_thread_that_left_by_none(shelf):
    shelf.threads["t"] = [said("a", "the old harbour")]
    assert shelf.find("harbour") == ["a"]
    shelf.threads["t"] = [said("a", "the new lighthouse")]
    assert (shelf.find("harbour"), shelf.find("lighthouse")) == ([], ["a"])
    del shelf.threads["t"]
    assert shelf.find("lighthouse", {"t"}) == []


def test_threads_that_may_not_be_read_take_no_place_among_the_hits(shelf):
    shelf.threads["mine"] = [said("old", "tide", at=1)]
    shelf.threads["theirs"] = [said(f"new-{at}", "tide", at=at) for at in range(2, 40)]
    assert shelf.find("tide", {"mine"}) == ["old"]


@pytest.mark.parametrize("bytes_left", [b"", b"no database" * 100])
def test_a_torn_or_missing_index_is_made_anew(shelf, bytes_left):
    shelf.threads["t"] = [said("a", "harbour")]
    assert shelf.find("harbour") == ["a"]
    shelf.path.write_bytes(bytes_left)
    assert shelf.find("harbour") == ["a"]


def test_thinking_is_not_searched(shelf):
    shelf.threads["t"] = [said("a", "<think>\nsecret plan\n</think>\n\nThe answer.")]
    assert (shelf.find("secret"), shelf.find("answer")) == ([], ["a"])


def test_what_there_was_no_time_for_is_counted(shelf):
    assert shelf.index.catch_up({"t": "1", "u": "1"}, -1) == 2
