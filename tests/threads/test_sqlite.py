"""The store of one file: its contract, and what only a database can suffer."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.threads.disk_faults import folder_for_anyone, no_file_grows_beyond, read_only
from tests.threads.store_contract import ThreadStoreContract, ids, said, texts, thread
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import Conflict, Damaged, StorageFailed
from webapp.threads.sqlite import SqliteThreadStore


class Behind:
    """The database of a store, without the store."""

    def __init__(self, root, clock):
        self.root = root
        self._clock = clock
        self._opened = []

    def reopened(self):
        self._opened.append(SqliteThreadStore(self.root, self._clock))
        return self._opened[-1]

    def close(self):
        for store in self._opened:
            store.close()

    @property
    def path(self):
        return self.root / "threads.sqlite3"

    def sql(self, statement, *values):
        with closing(sqlite3.connect(self.path)) as db, db:
            return db.execute(statement, values).fetchall()

    def put_line(self, thread_id, text):
        self.sql(
            "INSERT INTO messages (id, thread_id, data, created_at) VALUES (?, ?, ?, 5)",
            json.loads(text)["id"],
            thread_id,
            text,
        )

    def break_thread(self, thread_id):
        self.sql("UPDATE threads SET data = substr(data, 1, 40) WHERE id = ?", thread_id)

    def stored_text(self, thread_id):
        rows = self.sql("SELECT data FROM messages WHERE thread_id = ?", thread_id)
        return "\n".join(data for (data,) in rows)


@pytest.fixture
def store(tmp_path, clock):
    store = SqliteThreadStore(tmp_path / "data", clock)
    yield store
    store.close()


@pytest.fixture
def behind(tmp_path, clock):
    behind = Behind(tmp_path / "data", clock)
    yield behind
    behind.close()


@pytest.fixture
def walk(store):
    store.create_thread(thread())
    store.write("t", [Put(said("m1", "one")), Put(said("m2", "two")), Put(said("m3", "three"))])
    return store


class TestSqlite(ThreadStoreContract):
    pass


# --- the tables ---


def test_whole_objects_stand_in_two_tables_and_messages_go_with_their_thread(walk, behind):
    assert json.loads(behind.sql("SELECT data FROM threads")[0][0]) == thread().data
    rows = behind.sql("SELECT id, thread_id, data FROM messages")
    assert [(id, owner) for id, owner, _ in rows] == [("m1", "t"), ("m2", "t"), ("m3", "t")]
    assert json.loads(rows[0][2]) == said("m1", "one").data
    walk.delete_thread("t")
    walk.empty_trash()
    for table in ("threads", "messages", "history", "acts"):
        assert behind.sql(f"SELECT count(*) FROM {table}") == [(0,)]


def test_two_threads_may_use_the_same_message_ids(walk, behind):
    walk.create_thread(thread("u"))
    walk.create_message("u", said("m1", "another", thread_id="u"))
    walk.write("u", [Append("m1", "!"), Delete("m2")])
    assert texts(behind.reopened().read("t")) == {"m1": "one", "m2": "two", "m3": "three"}
    assert texts(behind.reopened().read("u")) == {"m1": "another!"}


@pytest.mark.parametrize("id", ["a\0b", "\ud800", "\ud83d\ude00", "\\ud800", "x" * 5000, ""])
def test_any_text_can_be_an_id(walk, behind, id):
    walk.create_message("t", said(id, "odd"))
    walk.create_message("t", said(id, "again"))
    walk.write("t", [Append(id, "!")], what="Appended")
    walk.undo("t", walk.changes("t")[0].id)
    found = behind.reopened().read("t").messages
    assert [message.text for message in found] == ["one", "two", "three", "odd"]
    assert found[-1].id == id.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def test_an_answer_that_streams_costs_its_own_length_in_the_history(walk, behind):
    walk.write("t", [Put(said("a", "", status="pending"))])
    for _ in range(200):
        walk.write("t", [Append("a", "word " * 100)], durable=False)
    (size,) = behind.sql("SELECT sum(ifnull(length(middle), 0)) FROM history")[0]
    assert size < 10_000
    assert len(texts(walk.read("t"))["a"]) == 100_000


def test_history_older_than_thirty_days_goes_with_the_first_write_of_a_day(walk, behind, clock):
    walk.write("t", [Put(said("m1", "clean"))], what="Edited")
    clock.now += 31 * 24 * 3600 * 1000
    moment = clock()
    walk.write("t", [Put(said("m2", "new"))])
    assert behind.sql("SELECT count(*) FROM acts") == [(0,)]
    assert behind.sql("SELECT message_id FROM history") == [("m2",)]
    assert texts(walk.as_of("t", moment)) == {"m1": "clean", "m2": "two", "m3": "three"}


def test_a_thread_of_an_id_that_was_used_before_is_read_afresh(walk):
    walk.read("t")
    walk.delete_thread("t")
    walk.create_thread(thread())
    walk.write("t", [Put(said("n1")), Put(said("n2")), Put(said("n3"))])
    assert ids(walk.read("t")) == ["n1", "n2", "n3"]


def test_reading_again_is_the_same_value_while_nothing_changed(walk, behind):
    first = walk.read("t")
    assert walk.read("t") is first
    behind.put_line("t", json.dumps(dict(said("j").data)))
    assert ids(walk.read("t")) == ["m1", "m2", "m3", "j"]


def test_nothing_is_left_on_the_disk_of_what_was_emptied_from_the_trash(walk, behind):
    walk.create_message("t", said("m4", "the secret word " * 1000))
    walk.delete_thread("t")
    walk.empty_trash()
    left = b"".join(path.read_bytes() for path in behind.root.iterdir())
    assert b"secret" not in left
    assert behind.path.stat().st_size < 150_000


# --- damage ---

NO_MESSAGES = ["", "17", "{", '["role"]', '{"id":"x"}', '{"id":"x","role":5}', None, b"\xff", 5]


@pytest.mark.parametrize("data", NO_MESSAGES, ids=repr)
def test_a_row_that_holds_no_message_is_told_and_kept_and_hides_no_other(walk, behind, data):
    behind.sql("INSERT INTO messages (id, thread_id, data) VALUES ('x', 't', ?)", data)
    for store in (walk, behind.reopened()):
        contents = store.read("t")
        assert ids(contents) == ["m1", "m2", "m3"]
        assert contents.notices[0].startswith("1 message ")
    walk.write("t", [Patch("x", {"pin": 1}), Append("m1", "!")])
    assert behind.sql("SELECT data FROM messages WHERE id = 'x'") in ([(data,)], [(str(data),)])


def test_words_put_over_a_damaged_row_leave_its_bytes_in_the_history(walk, behind):
    behind.sql("UPDATE messages SET data = '{broken' WHERE id = 'm2'")
    walk.write("t", [Put(said("m2", "new"))], what="Edited")
    assert ids(walk.read("t")) == ["m1", "m2", "m3"]
    kept = behind.sql(
        "SELECT head, middle FROM history WHERE message_id = 'm2' AND act IS NOT NULL"
    )
    assert kept == [(1, b"broken")]


def test_changes_by_other_programs_break_no_more_than_the_past_of_that_message(walk, behind, clock):
    moment = clock()
    walk.write("t", [Append("m1", " and"), Append("m2", " and")], what="Appended")
    behind.sql("UPDATE messages SET data = replace(data, 'one', 'uno') WHERE id = 'm1'")
    contents = walk.as_of("t", moment)
    assert texts(contents) == {"m1": "uno and", "m2": "two", "m3": "three"}
    assert contents.notices[0].startswith("1 change ")
    with pytest.raises(Conflict):
        walk.undo("t", walk.changes("t")[0].id)


def test_a_file_that_is_no_database_is_damage_and_is_not_written_to(tmp_path, clock):
    path = tmp_path / "threads.sqlite3"
    path.write_bytes(b"This is no database at all. " * 400)
    before = path.read_bytes()
    with pytest.raises(Damaged, match="doctor"):
        SqliteThreadStore(tmp_path, clock)
    assert path.read_bytes() == before


def test_pages_of_a_database_turned_to_noise_are_said(walk, behind):
    walk.write("t", [Put(said(f"k{n}", "word " * 200)) for n in range(100)])
    walk.close()
    raw = bytearray(behind.path.read_bytes())
    raw[4096 * 2 :] = b"\xa5" * (len(raw) - 4096 * 2)
    behind.path.write_bytes(raw)
    with pytest.raises(Damaged, match="damaged"):
        behind.reopened().read("t")


# --- failures of the disk ---


def test_a_database_that_vanished_is_said_and_works_again(walk, behind):
    aside = behind.root.rename(behind.root.with_name("aside"))
    for act in (
        walk.list_threads,
        walk.trash,
        lambda: walk.read("t"),
        lambda: walk.create_thread(thread("n")),
        lambda: walk.create_message("t", said("m4")),
    ):
        with pytest.raises(StorageFailed, match="not there"):
            act()
    assert not behind.root.exists()
    aside.rename(behind.root)
    walk.create_message("t", said("m4"))
    assert ids(behind.reopened().read("t")) == ["m1", "m2", "m3", "m4"]


def test_another_database_in_its_place_is_read_from_then_on(walk, behind, tmp_path, clock):
    other = SqliteThreadStore(tmp_path / "other", clock)
    other.create_thread(thread(title="Other"))
    other.close()
    walk.close()
    (tmp_path / "other" / "threads.sqlite3").replace(behind.path)
    assert walk.get_thread("t").title == "Other"
    assert walk.read("t").messages == ()


@pytest.mark.parametrize("room", [0, 3000, 9000])
def test_a_full_disk_is_said_nothing_is_acknowledged_and_it_works_again(walk, behind, room):
    log = behind.path.with_name("threads.sqlite3-wal")
    big = "x" * 20_000
    with no_file_grows_beyond(log.stat().st_size + room):
        with pytest.raises(StorageFailed, match="Nothing was saved"):
            walk.write("t", [Put(said("m4", "four")), Put(said("m5", big))])
        assert ids(walk.read("t")) == ["m1", "m2", "m3"]
        with pytest.raises(StorageFailed):
            walk.modify_thread(thread(title=big))
    walk.write("t", [Put(said("m4", "four")), Put(said("m5", big))])
    assert ids(walk.read("t")) == ids(behind.reopened().read("t")) == ["m1", "m2", "m3", "m4", "m5"]
    assert walk.get_thread("t").title == "Harbour walk"


@pytest.mark.parametrize("closed", [False, True])
def test_a_read_only_directory_is_said_can_be_read_and_works_again(clock, closed):
    with folder_for_anyone() as folder:
        store = SqliteThreadStore(folder / "data", clock)
        store.create_thread(thread())
        store.create_message("t", said("m1"))
        if closed:
            store.close()
        with read_only(folder):
            fresh = SqliteThreadStore(folder / "data", clock)
            for act in (
                lambda: fresh.create_message("t", said("m2")),
                lambda: fresh.modify_thread(thread(title="New")),
                lambda: fresh.create_thread(thread("n")),
                lambda: fresh.delete_thread("t"),
                lambda: SqliteThreadStore(folder / "other", clock),
            ):
                with pytest.raises(StorageFailed, match="allow"):
                    act()
            assert ids(fresh.read("t")) == ["m1"]
            assert [each.title for each in fresh.list_threads()] == ["Harbour walk"]
            fresh.close()
        store.create_message("t", said("m2"))
        assert ids(store.read("t")) == ["m1", "m2"]
        store.close()
