import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from webapp.errors import Conflict, StorageFailed
from webapp.threads.database import FILE, Database


@pytest.fixture
def database(tmp_path):
    database = Database(tmp_path / FILE, patience=0)
    yield database
    database.close()


def insert(database, key):
    with database.writing() as db:
        db.execute("INSERT INTO threads (id, data) VALUES (?, '{}')", (key,))


def keys(database):
    with database.reading() as db:
        return [key.decode() for (key,) in db.execute("SELECT id FROM threads ORDER BY id")]


def test_what_was_written_is_there_after_a_restart(database):
    insert(database, "a")
    database.close()
    assert keys(Database(database.path)) == keys(database) == ["a"]


def test_an_error_in_the_middle_writes_nothing(database):
    with pytest.raises(ZeroDivisionError), database.writing() as db:
        db.execute("INSERT INTO threads (id, data) VALUES ('a', '{}')")
        raise ZeroDivisionError
    assert keys(database) == []
    insert(database, "b")
    assert keys(database) == ["b"]


def test_readers_wait_for_no_writer_and_see_one_moment(database):
    with database.reading() as seen:
        assert seen.execute("SELECT count(*) FROM threads").fetchone() == (0,)
        insert(database, "a")
        assert seen.execute("SELECT count(*) FROM threads").fetchone() == (0,)
    assert keys(database) == ["a"]


def test_writers_wait_for_each_other(database):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: insert(database, f"{n:02}"), range(40)))
    assert keys(database) == [f"{n:02}" for n in range(40)]


def test_durable_writes_wait_for_the_disk_and_flushed_ones_do_not(database):
    for durably, level in ((True, 2), (False, 1), (True, 2)):
        with database.writing(durably=durably) as db:
            assert db.execute("PRAGMA synchronous").fetchone() == (level,)
            assert db.execute("PRAGMA journal_mode").fetchone() == (b"wal",)
            assert db.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_two_that_make_the_same_file_at_once_make_one(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: Database(tmp_path / FILE), range(4)))
    for database in made:
        insert(database, f"{id(database)}")
    assert len(keys(made[0])) == 4
    for database in made:
        database.close()


def test_a_file_that_another_program_writes_to_can_be_read_and_that_is_said(database):
    with closing(sqlite3.connect(database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert keys(database) == []
        with pytest.raises(StorageFailed, match="another program"):
            insert(database, "a")
    insert(database, "a")
    assert keys(database) == ["a"]


def test_a_file_without_room_is_said_to_be_full(database):
    with database.reading() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageFailed, match="the disk is full"):
        insert(database, "a" * 100_000)
    insert(database, "a")
    assert keys(database) == ["a"]


def test_a_file_of_a_newer_strata_is_not_touched(database):
    database.close()
    with closing(sqlite3.connect(database.path)) as other:
        other.execute("PRAGMA user_version = 99")
    with pytest.raises(Conflict, match="newer"):
        Database(database.path)


def test_a_file_whose_making_was_cut_short_is_made_whole(tmp_path):
    (tmp_path / FILE).write_bytes(b"")
    database = Database(tmp_path / FILE)
    insert(database, "a")
    assert keys(database) == ["a"]
    database.close()


def test_a_folder_that_is_a_file_is_said(tmp_path):
    (tmp_path / "data").write_text("")
    with pytest.raises(StorageFailed):
        Database(tmp_path / "data" / FILE)


def test_faults_of_our_own_are_no_faults_of_the_disk(database):
    with pytest.raises(sqlite3.ProgrammingError), database.reading() as db:
        db.execute("SELECT ?")
