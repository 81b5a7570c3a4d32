"""`strata doctor --repair`: afterwards all is well, and everything is still somewhere."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.threads.disk_faults import no_file_grows_beyond
from tests.threads.store_contract import ids, said, texts, thread
from webapp.chat.records import ActiveRoot, Append, Put
from webapp.errors import StorageFailed
from webapp.threads import backend
from webapp.threads.doctor import examine
from webapp.threads.mending import repair
from webapp.threads.migration import migrate

FIELD_CASES = Path(__file__).parent.parent / "data" / "threads"


@pytest.fixture
def root(tmp_path, clock):
    root = tmp_path / "data"
    store = backend.open_store(root, clock)
    store.create_thread(thread())
    store.write("t", [Put(said("q", "My question")), Put(said("a", parent="q"))])
    store.write("t", [Append("a", "!")], what="Act")
    store.create_thread(thread("healthy"))
    return root


def add(path, data):
    with path.open("ab") as file:
        file.write(data)


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def sql(root, statement):
    with closing(sqlite3.connect(root / "threads.sqlite3")) as db, db:
        return db.execute(statement).fetchall()


def test_where_nothing_is_wrong_nothing_is_done(root, clock):
    before = files(root)
    done = repair(root, clock)
    assert (done.copy, done.before.findings, done.after.findings) == (None, [], [])
    assert files(root) == before


def test_damaged_lines_leave_the_log_and_are_kept_twice(root, clock):
    log = root / "threads/t/messages.jsonl"
    add(log, b"junk\n" + json.dumps(dict(said("a", "again").data)).encode() + b'\n{"id":"x","ro')
    before = files(root / "threads/t")
    done = repair(root, clock)
    assert len(done.before.findings) == 3
    assert done.after.findings == []
    assert files(done.copy / "threads/t") == before
    assert (root / "threads/t/messages.damaged").read_bytes() == b'junk\n{"id":"x","ro\n'
    assert not (done.copy / "threads/healthy").exists()
    store = backend.open_store(root, clock)
    assert texts(store.read("t")) == {"q": "My question", "a": "again"}
    assert store.read("t").notices == ()
    assert [change.what for change in store.changes("t")] == ["Act"]


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_a_broken_thread_gets_new_fields_from_what_can_be_found(root, clock, kind):
    broken = '{"id":"t","title":"The “broken” one" "created":1}'
    if kind == "sqlite":
        migrate(root, "sqlite", clock)
        sql(root, f"UPDATE threads SET data = '{broken}' WHERE id = 't'")
    else:
        (root / "threads/t/thread.json").write_text(broken)
    done = repair(root, clock)
    assert done.after.findings == []
    store = backend.open_store(root, clock)
    found = store.get_thread("t")
    assert (found.title, found.created, found.updated) == (
        "The “broken” one",
        1_767_225_600,
        1_767_225_600,
    )
    assert ids(store.read("t")) == ["q", "a"]
    store.close()
    if kind == "jsonl":
        assert (done.copy / "threads/t/thread.json").read_text() == broken
    else:
        with closing(sqlite3.connect(done.copy / "threads.sqlite3")) as copy:
            kept = copy.execute("SELECT data FROM threads WHERE id = 't'").fetchone()
        assert kept == (broken,)


def test_a_thread_without_a_title_gets_the_words_of_its_first_question(root, clock):
    (root / "threads/t/thread.json").unlink()
    repair(root, clock)
    assert backend.open_store(root, clock).get_thread("t").title == "My question"


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_wrong_places_and_pointers_are_written_down_right_and_can_be_undone(root, clock, kind):
    store = backend.open_store(root, clock)
    store.write("t", [Put(said("o", parent="none"))], active_root=ActiveRoot("none"))
    migrate(root, kind, clock)
    done = repair(root, clock)
    assert len(done.before.findings) == 2
    assert done.after.findings == []
    store = backend.open_store(root, clock)
    assert store.read("t").messages[-1].parent_id == "a"
    assert store.get_thread("t").active_root_id == "q"
    change = store.changes("t")[0]
    assert (change.what, change.message_ids) == ("Mended by strata doctor", ("o",))
    store.undo("t", change.id)
    assert store.read("t").messages[-1].parent_id == "none"
    store.close()


def test_temporary_files_are_moved_into_the_copy(root, clock):
    (root / "threads/t/thread.json.new").write_text("half")
    (root / "migrating/threads/t").mkdir(parents=True)
    (root / "migrating/threads/t/thread.json").write_text("half")
    done = repair(root, clock)
    assert done.after.findings == []
    assert files(done.copy) == {
        "threads/t/thread.json.new": b"half",
        "migrating/threads/t/thread.json": b"half",
    }


def test_what_does_not_belong_is_left_to_its_owner(root, clock):
    (root / "threads/t/notes.txt").write_text("mine")
    done = repair(root, clock)
    assert done.copy is None
    assert len(done.after.findings) == 1
    assert (root / "threads/t/notes.txt").read_text() == "mine"


def test_a_thread_in_the_trash_is_mended_there(root, clock):
    backend.open_store(root, clock).delete_thread("t")
    (trashed,) = (root / "trash").iterdir()
    add(trashed / "messages.jsonl", b"junk\n")
    (trashed / "thread.json").write_text("{")
    done = repair(root, clock)
    assert done.after.findings == []
    assert (done.copy / "trash" / trashed.name / "thread.json").read_text() == "{"
    store = backend.open_store(root, clock)
    store.restore_thread("t")
    assert store.get_thread("t").title == "My question"


def test_entries_of_a_database_that_are_no_messages_are_put_aside(root, clock):
    migrate(root, "sqlite", clock)
    sql(root, "INSERT INTO messages (id, thread_id, data) VALUES ('x', 't', '{broken')")
    done = repair(root, clock)
    assert done.after.findings == []
    assert (done.copy / "threads/t/messages.damaged").read_bytes() == b"{broken\n"
    store = backend.open_store(root, clock)
    assert store.read("t").notices == ()
    assert ids(store.read("t")) == ["q", "a"]
    store.close()


def test_a_database_with_pages_of_noise_is_replaced_by_what_can_be_read(root, clock):
    store = backend.open_store(root, clock)
    store.write("t", [Put(said(f"m{n}", "word " * 300)) for n in range(60)])
    migrate(root, "sqlite", clock)
    path = root / "threads.sqlite3"
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 8192 * 4096
    raw[middle : middle + 4096] = b"\xa5" * 4096
    path.write_bytes(raw)
    done = repair(root, clock)
    assert [finding.where for finding in done.before.findings] == ["threads.sqlite3"]
    assert done.after.findings == []
    assert (done.copy / "threads.sqlite3").read_bytes() == raw
    store = backend.open_store(root, clock)
    assert len(store.read("t").messages) > 30
    assert store.get_thread("t").title == "Harbour walk"
    store.close()


def test_a_disk_too_full_for_the_copy_leaves_everything_as_it_was(root, clock):
    add(root / "threads/t/messages.jsonl", b"junk\n" * 500)
    before = files(root / "threads")
    with no_file_grows_beyond(100), pytest.raises(StorageFailed):
        repair(root, clock)
    assert files(root / "threads") == before
    assert repair(root, clock).after.findings == []


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_field_cases_are_well_afterwards_and_no_word_is_lost(tmp_path, clock, kind):
    shutil.copytree(FIELD_CASES, tmp_path / "threads")
    (tmp_path / "threads/README.md").unlink()
    store = backend.open_store(tmp_path, clock)
    before = {each.id: texts(store.read(each.id)) for each in store.list_threads()}
    migrate(tmp_path, kind, clock)
    assert repair(tmp_path, clock).after.findings == []
    assert examine(tmp_path).findings == []
    store = backend.open_store(tmp_path, clock)
    assert {each.id: texts(store.read(each.id)) for each in store.list_threads()} == before
    assert store.get_thread("half-list-broken").title == "The broken one"
    store.close()
