import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.threads.store_contract import said, thread
from webapp.chat.records import Put
from webapp.threads.salvage import is_whole, salvage
from webapp.threads.sqlite import SqliteThreadStore

PAGE = 4096


@pytest.fixture
def path(tmp_path, clock):
    store = SqliteThreadStore(tmp_path / "old", clock)
    for id in ("t", "u"):
        store.create_thread(thread(id))
        store.write(
            id, [Put(said(f"{n}\ud800", f"{id} {n} " * 100)) for n in range(60)], what="All"
        )
    store.close()
    return tmp_path / "old" / "threads.sqlite3"


def salvaged(path, clock):
    (path.parent.parent / "new").mkdir()
    count = salvage(path, path.parent.parent / "new" / "threads.sqlite3")
    store = SqliteThreadStore(path.parent.parent / "new", clock)
    try:
        seen = {each.id: store.read(each.id).messages for each in store.list_threads()}
        return count, seen, [store.changes(id) for id in seen]
    finally:
        store.close()


def test_a_whole_database_comes_through_whole(path, clock):
    assert is_whole(path)
    store = SqliteThreadStore(path.parent, clock)
    before = {id: store.read(id).messages for id in ("t", "u")}
    changes = [store.changes(id) for id in ("t", "u")]
    store.close()
    assert salvaged(path, clock) == (120, before, changes)


def test_pages_of_noise_hide_only_what_is_on_them(path, clock):
    raw = bytearray(path.read_bytes())
    middle = len(raw) // PAGE // 2
    raw[middle * PAGE : (middle + 2) * PAGE] = b"\xa5" * (2 * PAGE)
    path.write_bytes(raw)
    assert not is_whole(path)
    count, seen, _ = salvaged(path, clock)
    assert 80 < count <= 120
    assert set(seen) == {"t", "u"}
    assert all(each.text.startswith(f"{id} ") for id in seen for each in seen[id])


def test_messages_whose_thread_is_lost_get_one_that_is_listed_as_damaged(path, clock):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM threads WHERE id = 't'")
    assert not is_whole(path)
    count, seen, _ = salvaged(path, clock)
    assert (count, len(seen["t"])) == (120, 60)


def test_what_is_no_database_gives_nothing(path, clock):
    path.write_bytes(b"no database " * 1000)
    assert not is_whole(path)
    assert salvaged(path, clock) == (0, {}, [])


def test_every_page_can_be_the_broken_one(path, tmp_path, clock):
    raw = path.read_bytes()
    for page in range(1, len(raw) // PAGE, 7):
        path.write_bytes(raw[: page * PAGE] + b"\xff" * PAGE + raw[(page + 1) * PAGE :])
        shutil.rmtree(tmp_path / "new", ignore_errors=True)
        count, _, _ = salvaged(path, clock)
        assert count >= 30
