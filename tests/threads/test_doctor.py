"""What a look at a data directory tells, and that it changes nothing."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.threads.disk_faults import folder_for_anyone, read_only
from tests.threads.store_contract import said, thread
from webapp.chat.records import ActiveRoot, Append, Patch, Put
from webapp.errors import NotFound
from webapp.threads import backend
from webapp.threads.doctor import examine
from webapp.threads.instance import InstanceLock
from webapp.threads.migration import migrate

FIELD_CASES = Path(__file__).parent.parent / "data" / "threads"


@pytest.fixture
def root(tmp_path, clock):
    """A healthy data directory: a thread with versions, one of Jan's, one in the trash."""
    root = tmp_path / "data"
    store = backend.open_store(root, clock)
    for id in ("t", "gone"):
        store.create_thread(thread(id))
        store.write(id, [Put(said("q")), Put(said("a", parent="q", role="assistant"))])
        store.write(id, [Append("a", "!"), Patch("q", {"activeChildId": "a"})], what="Act")
    store.delete_thread("gone")
    shutil.copytree(FIELD_CASES / "switch-back", root / "threads" / "switch-back")
    return root


def told(root):
    return [str(finding) for finding in examine(root).findings]


def log_of(root, id="t"):
    return root / "threads" / id / "messages.jsonl"


def add(path, data):
    with path.open("ab") as file:
        file.write(data)


def test_a_healthy_directory_is_well_in_either_store(root, clock):
    for kind in ("sqlite", "jsonl"):
        found = examine(root)
        assert (found.findings, found.notes) == ([], [])
        assert (found.threads, found.messages) == (3, 11)
        migrate(root, kind, clock)
    shutil.rmtree(next(root.glob("set-aside*")))
    assert told(root) == []


def test_there_must_be_a_directory(tmp_path):
    with pytest.raises(NotFound, match="--data"):
        examine(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_damaged_lines_are_told_by_their_numbers(root):
    add(log_of(root), b"junk\n" + json.dumps(dict(said("q").data)).encode() + b'\n{"id":"x","ro')
    assert told(root) == [
        "t: 1 line ends in the middle: 7.",
        "t: 1 line cannot be read: 5.",
        "t: 1 line uses the id of an earlier message and takes its place: 6 (q).",
    ]


def test_trees_that_are_wrong_are_told(root, clock):
    store = backend.open_store(root, clock)
    store.write("t", [Put(said("o", parent="none"))], active_root=ActiveRoot("none"))
    assert told(root) == [
        "t: 1 message follows one that is not there: o.",
        "t: The thread shows a beginning that is not there: none.",
    ]


def test_broken_and_missing_thread_files_are_told(root):
    (root / "threads/t/thread.json").write_text('{"title":')
    (root / "threads/switch-back/thread.json").unlink()
    assert [line.split(" in the")[0] for line in told(root)] == [
        "switch-back: thread.json is missing",
        "t: thread.json is damaged",
    ]


def test_the_trash_is_looked_at_too(root):
    (trashed,) = (root / "trash").iterdir()
    add(trashed / "messages.jsonl", b"junk\n")
    assert told(root) == [f"{trashed.name}: 1 line cannot be read: 5."]


def test_files_that_do_not_belong_are_told_and_those_of_the_system_are_not(root):
    (root / "threads/t/notes.txt").write_text("mine")
    (root / "threads/t/files/f").mkdir(parents=True)
    (root / "threads/t/.DS_Store").write_text("")
    (root / "threads/.hidden").mkdir()
    (root / "threads/list.txt").write_text("")
    (root / "threads/empty").mkdir()
    shutil.copytree(root / "threads/t", root / "threads/copy of t")
    assert told(root) == [
        "t: notes.txt does not belong in this folder.",
        "copy of t: the name of this folder is not a thread id; rename it, with letters and digits"
        " only.",
        "threads/empty: is not a thread and does not belong here.",
        "threads/list.txt: is not a thread and does not belong here.",
    ]


def test_what_writes_that_were_cut_short_left_is_told(root):
    (root / "threads/t/thread.json.new").write_text("{")
    (root / "migrating/threads").mkdir(parents=True)
    (root / "threads/.half.new").mkdir()
    cut = "was left behind by a write that was cut short."
    left = ("migrating", "threads/.half.new", "threads/t/thread.json.new")
    assert told(root) == [f"{each}: {cut}" for each in left]


def test_who_runs_on_the_directory_is_noted_and_nothing_wrong(root):
    lock = InstanceLock(root)
    lock.announce("http://127.0.0.1:5100")
    found = examine(root)
    assert found.findings == []
    assert "http://127.0.0.1:5100" in found.notes[0]
    lock.release()
    assert examine(root).notes == []


def test_a_log_that_cannot_be_read_is_told_and_the_others_are_looked_at(root):
    log_of(root).unlink()
    log_of(root).mkdir()
    add(log_of(root, "switch-back"), b"junk\n")
    unreadable, line = sorted(told(root), reverse=True)
    assert "could not be read" in unreadable
    assert line.startswith("switch-back: 1 line")


def test_a_mark_that_says_nothing_is_told(root):
    (root / "store.toml").write_text("")
    (finding,) = examine(root).findings
    assert (finding.where, finding.mendable) == ("store.toml", False)


def sql(root, statement):
    with closing(sqlite3.connect(root / "threads.sqlite3")) as db, db:
        db.execute(statement)


def test_what_is_wrong_in_a_database_is_told(root, clock):
    migrate(root, "sqlite", clock)
    sql(root, "UPDATE messages SET data = '{' WHERE thread_id = 'switch-back' AND id = 's-u3'")
    sql(root, "UPDATE threads SET data = '' WHERE id = 't'")
    sql(root, "INSERT INTO threads (id, data) VALUES ('no id', '{}')")
    assert told(root) == [
        "no id: this thread has no id that can be opened.",
        "switch-back: 1 message cannot be read.",
        "switch-back: 1 message follows one that is not there: s-a4.",
        "t: The entry of the thread t is damaged.",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "is not there"), (b"", "is not there"), (b"noise " * 9000, "is damaged")],
)
def test_a_database_that_is_gone_or_noise_is_told(root, clock, content, sentence):
    migrate(root, "sqlite", clock)
    (root / "threads.sqlite3").unlink()
    if content is not None:
        (root / "threads.sqlite3").write_bytes(content)
    (line,) = told(root)
    assert line.startswith("threads.sqlite3: ")
    assert sentence in line


def test_field_cases_are_told(tmp_path):
    shutil.copytree(FIELD_CASES, tmp_path / "threads")
    (tmp_path / "threads/README.md").unlink()
    found = examine(tmp_path)
    assert {finding.where for finding in found.findings} == {
        "detached-answers",
        "half-list-broken",
        "stale-pointers",
    }


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_looking_changes_nothing_and_needs_no_right_to_write(root, clock, kind):
    store = backend.open_store(root, clock)
    store.write("t", [Put(said("o", parent="none"))])
    migrate(root, kind, clock)
    with folder_for_anyone() as folder:
        shutil.copytree(root, folder / "data")
        before = {path: path.stat().st_mtime_ns for path in (folder / "data").rglob("*")}
        with read_only(folder):
            (told_there,) = told(folder / "data")
            assert told_there.startswith("t: 1 message follows")
        assert {p: p.stat().st_mtime_ns for p in (folder / "data").rglob("*")} == before
