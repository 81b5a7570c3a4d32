"""In step with the store, behind nobody's back, and caught up after any end."""

import sqlite3

import pytest

from tests.chat.trees import said as message
from webapp.chat.messages import new_thread
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import StorageFailed
from webapp.search.index import STARRED, Filters, FindIndex
from webapp.search.indexer import Indexer
from webapp.search.question import question_from

ANY = Filters()


class Threads:
    """A source whose stamps are what is in it."""

    def __init__(self):
        self.kept, self.titles, self.read, self.broken = {}, {}, [], set()

    def threads(self):
        return [self.thread(id) for id in self.kept]

    def thread(self, id):
        return (
            new_thread(id=id, title=self.titles.get(id, ""), created=1) if id in self.kept else None
        )

    def messages(self, id):
        self.read.append(id)
        if id in self.broken:
            raise StorageFailed("It cannot be read.")
        return self.kept[id]

    def stamp(self, id):
        return str([(each.id, each.text) for each in self.kept.get(id, [])]) + self.titles.get(
            id, ""
        )


@pytest.fixture
def source():
    return Threads()


@pytest.fixture
def open_indexer(tmp_path, source):
    opened = []

    def start():
        opened.append(Indexer(FindIndex(tmp_path / "find.sqlite3"), source))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


@pytest.fixture
def indexer(open_indexer):
    return open_indexer()


def found(indexer, typed, filters=ANY):
    assert indexer.wait()
    rows = indexer._index.found(question_from(typed), filters, lambda _: True)
    return sorted(each.message_id for each in rows)


def test_each_change_is_followed(indexer):
    indexer.changed("t", [Put(message("u1")), Put(message("a1", "u1"))])
    indexer.titled(new_thread(id="t", title="Harbour", created=1))
    assert found(indexer, "text") == ["a1", "u1"]
    assert found(indexer, "harbour") == [""]
    indexer.changed("t", [Append("a1", "more"), Patch("a1", {"starred": True})])
    assert found(indexer, "text", Filters(marks=STARRED)) == ["a1"]
    indexer.changed("t", [Patch("a1", {"starred": None, "activeChildId": "x"}), Delete("u1")])
    assert found(indexer, "text", Filters(marks=STARRED)) == []
    assert found(indexer, "text") == ["a1"]
    indexer.gone("t")
    assert found(indexer, "text") == []


def test_a_start_reads_only_what_changed_meanwhile(open_indexer, source):
    source.kept = {"t": [message("u1")], "u": [message("u2")]}
    first = open_indexer()
    first.catch_up()
    assert found(first, "text") == ["u1", "u2"]
    first.close()
    source.read.clear()
    source.kept["u"] = [message("u3")]
    source.kept["w"] = [message("u4")]
    del source.kept["t"]
    second = open_indexer()
    second.catch_up()
    assert found(second, "text") == ["u3", "u4"]
    assert source.read == ["u", "w"]
    assert second.behind == 0


def test_what_an_end_without_warning_left_open_is_read_again(open_indexer, source):
    source.kept = {"t": [message("u1")]}
    first = open_indexer()
    first.catch_up()
    first.changed("t", [Put(message("u2"))])
    assert found(first, "text") == ["u1", "u2"]  # and now the power is gone
    source.read.clear()
    second = Indexer(FindIndex(first._index._path), source)
    second.catch_up()
    assert found(second, "text") == ["u1"]
    assert source.read == ["t"]
    second.close()


def test_an_orderly_end_leaves_nothing_to_read(open_indexer, source):
    source.kept = {"t": [message("u1")]}
    first = open_indexer()
    first.changed("t", [Put(message("u1"))])
    first.close()
    source.read.clear()
    second = open_indexer()
    second.catch_up()
    assert found(second, "text") == ["u1"]
    assert source.read == []


def test_a_thread_that_cannot_be_read_hides_no_other(indexer, source, caplog):
    source.kept = {"t": [message("u1")], "u": [message("u2")]}
    source.broken = {"t"}
    indexer.catch_up()
    assert found(indexer, "text") == ["u2"]
    assert "cannot be read" in caplog.text


def test_an_index_that_fails_harms_nobody(indexer, source, monkeypatch, caplog):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(indexer._index, "put", full)
    indexer.changed("t", [Put(message("u1"))])
    assert indexer.wait()
    assert "disk is full" in caplog.text
    monkeypatch.undo()
    indexer.changed("t", [Put(message("u2"))])
    assert found(indexer, "text") == ["u2"]


def test_it_is_made_anew_with_progress(indexer, source):
    source.kept = {"t": [message("u1")], "u": [message("u2")]}
    source.titles = {"t": "Harbour"}
    told = []
    assert indexer.rebuild(lambda done, total: told.append((done, total))) == 4
    assert told == [(1, 2), (2, 2)]
    assert found(indexer, "harbour") == [""]


def test_after_the_end_nothing_is_taken(indexer):
    indexer.close()
    indexer.changed("t", [Put(message("u1"))])
    indexer.close()
