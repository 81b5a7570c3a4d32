import pytest

from tests.threads.store_contract import said, thread
from webapp.errors import Damaged, StorageFailed
from webapp.threads import backend
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.sqlite import SqliteThreadStore


def test_a_new_directory_gets_a_store_of_directories(tmp_path, clock):
    store = backend.open_store(tmp_path / "data", clock)
    assert isinstance(store, JsonlThreadStore)
    store.create_thread(thread())
    assert (tmp_path / "data/threads/t/thread.json").exists()


def test_the_kind_that_was_chosen_is_opened(tmp_path, clock):
    made = SqliteThreadStore(tmp_path, clock)
    made.create_thread(thread())
    made.create_message("t", said("m"))
    made.close()
    backend.choose(tmp_path, "sqlite")
    store = backend.open_store(tmp_path, clock)
    assert isinstance(store, SqliteThreadStore)
    assert len(store.read("t").messages) == 1
    store.close()
    backend.choose(tmp_path, "jsonl")
    assert backend.kind_of(tmp_path) == "jsonl"
    assert backend.open_store(tmp_path, clock).list_threads() == []


@pytest.mark.parametrize("content", [None, b""])
def test_a_database_that_is_missing_is_not_begun_afresh(tmp_path, clock, content):
    backend.choose(tmp_path, "sqlite")
    if content is not None:
        (tmp_path / "threads.sqlite3").write_bytes(content)
    before = list(tmp_path.iterdir())
    with pytest.raises(StorageFailed, match="backup"):
        backend.open_store(tmp_path, clock)
    assert list(tmp_path.iterdir()) == before


@pytest.mark.parametrize("text", [b"", b"store = 5", b'store = "other"', b"store = ", b"\xff\xfe"])
def test_a_mark_that_says_nothing_is_damage(tmp_path, clock, text):
    (tmp_path / "store.toml").write_bytes(text)
    with pytest.raises(Damaged, match=r"store\.toml"):
        backend.open_store(tmp_path, clock)


def test_a_mark_that_is_lost_is_damage_where_there_is_a_database(tmp_path, clock):
    SqliteThreadStore(tmp_path, clock).close()
    with pytest.raises(Damaged, match=r"store\.toml"):
        backend.open_store(tmp_path, clock)


def test_a_mark_that_cannot_be_read_is_said(tmp_path, clock):
    (tmp_path / "store.toml").mkdir()
    with pytest.raises(StorageFailed):
        backend.open_store(tmp_path, clock)
