"""A store that tells: it does what the other does, and every change is told after it was made."""

import pytest

from tests.threads.store_contract import ThreadStoreContract, said, thread
from tests.threads.test_jsonl import Behind
from webapp.chat.records import Append, Patch
from webapp.errors import NotFound
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.observed import ObservedStore, StoredSource


class Notes:
    def __init__(self):
        self.told = []

    def changed(self, thread_id, records):
        self.told.append(("changed", thread_id, [type(each).__name__ for each in records]))

    def titled(self, thread):
        self.told.append(("titled", thread.id, thread.title))

    def read_again(self, thread_id):
        self.told.append(("read_again", thread_id))

    def gone(self, thread_id):
        self.told.append(("gone", thread_id))


class TestObservedStore(ThreadStoreContract):
    @pytest.fixture
    def store(self, tmp_path, clock):
        return ObservedStore(JsonlThreadStore(tmp_path, clock), Notes())

    @pytest.fixture
    def behind(self, tmp_path, clock):
        return Behind(tmp_path, clock)


@pytest.fixture
def notes():
    return Notes()


@pytest.fixture
def store(tmp_path, clock, notes):
    return ObservedStore(JsonlThreadStore(tmp_path, clock), notes)


def test_every_change_is_told_once(store, notes):
    store.create_thread(thread())
    store.create_message("t", said("a"))
    store.write("t", [Append("a", "more"), Patch("a", {"pinned": True})], what="Pinned")
    store.modify_thread(thread().with_fields(title="Other"))
    store.undo("t", store.changes("t")[-1].id)
    store.delete_thread("t")
    store.restore_thread("t")
    store.read("t"), store.list_threads(), store.trash(), store.rewrite("t")
    assert notes.told == [
        ("read_again", "t"),
        ("changed", "t", ["Put"]),
        ("changed", "t", ["Append", "Patch"]),
        ("titled", "t", "Other"),
        ("read_again", "t"),
        ("gone", "t"),
        ("read_again", "t"),
    ]


def test_what_failed_is_not_told(store, notes):
    with pytest.raises(NotFound):
        store.write("nowhere", [Append("a", "x")])
    with pytest.raises(NotFound):
        store.delete_thread("nowhere")
    assert notes.told == []


def test_a_source_has_another_stamp_after_each_change(store, tmp_path):
    source = StoredSource(store, tmp_path)
    assert source.stamp("t") == ""
    assert source.thread("t") is None
    store.create_thread(thread())
    stamps = [source.stamp("t")]
    store.create_message("t", said("a"))
    stamps.append(source.stamp("t"))
    store.write("t", [Append("a", "more")], durable=False)
    stamps.append(source.stamp("t"))
    assert len(set(stamps)) == 3
    assert [each.id for each in source.threads()] == ["t"]
    assert source.thread("t").id == "t"
    assert [each.id for each in source.messages("t")] == ["a"]


def test_a_thread_that_cannot_be_read_is_none(store, tmp_path):
    store.create_thread(thread())
    about = tmp_path / "threads/t/thread.json"
    about.unlink()
    about.symlink_to("thread.json")
    assert StoredSource(store, tmp_path).thread("t") is None
