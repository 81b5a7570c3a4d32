"""Threads moved to the other kind of store and back."""

import copy
import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tests.conftest import Clock
from tests.threads.disk_faults import no_file_grows_beyond
from tests.threads.store_contract import ids, said, texts, thread
from tests.threads.store_machine import a_record
from webapp.chat.records import ActiveRoot, Append, Delete, Patch, Put
from webapp.errors import Damaged, StorageFailed
from webapp.threads import backend
from webapp.threads.migration import migrate
from webapp.threads.store import DamagedThread

FIELD_CASES = Path(__file__).parent.parent / "data" / "threads"
CASES = sorted(path.name for path in FIELD_CASES.iterdir() if path.is_dir())


@pytest.fixture
def data(tmp_path):
    """A data directory with the threads that other programs left behind."""
    shutil.copytree(FIELD_CASES, tmp_path / "data" / "threads")
    return tmp_path / "data"


def state(root, clock):
    """All that a person could see of the threads, also of their past."""
    store = backend.open_store(root, clock)
    try:
        listed = store.list_threads()
        for entry in store.trash():
            store.restore_thread(entry.id)
        trashed = [each for each in store.list_threads() if each.id not in {e.id for e in listed}]
        seen = {}
        for entry in (*listed, *trashed):
            fields = None if isinstance(entry, DamagedThread) else entry
            acts = [(each.id, each.at, each.what) for each in store.changes(entry.id)]
            seen[entry.id] = (fields, copy.deepcopy(store.read(entry.id).messages), acts)
        for entry in trashed:
            store.delete_thread(entry.id)
        return [entry.id for entry in listed], [entry.id for entry in trashed], seen
    finally:
        store.close()


@pytest.fixture
def lived_in(tmp_path, clock):
    """A data directory with every kind of thing in it."""
    root = tmp_path / "data"
    store = backend.open_store(root, clock)
    store.create_thread(thread().with_fields(model={"top_p": 0.80, "é": "\ud800"}))
    store.write("t", [Put(said("q", "Odd \0 \ud800 \u2028")), Put(said("a1", parent="q"))])
    store.write("t", [Put(said("a2", parent="q")), Append("a1", " and more")])
    store.write("t", [Delete("a1"), Patch("q", {"pin": None})], what="Deleted “a1”")
    store.rewrite("t")
    store.write("t", [Put(said("q2"))], active_root=ActiveRoot("q2"), what="Edited")
    store.modify_thread(store.get_thread("t").with_fields(title="New"), what="Renamed")
    store.create_thread(thread("gone", "Thrown away"))
    store.create_message("gone", said("m", thread_id="gone"))
    store.delete_thread("gone")
    store.create_thread(thread("empty", "Empty"))
    return root


def test_field_cases_there_and_back_are_equal_message_by_message(data, clock):
    before = state(data, clock)
    report = migrate(data, "sqlite", clock)
    assert (report.threads, report.trashed) == (len(CASES), 0)
    assert backend.kind_of(data) == "sqlite"
    assert state(data, clock) == before
    report = migrate(data, "jsonl", clock)
    assert (report.threads, report.messages) == (
        len(CASES),
        sum(len(s[1]) for s in before[2].values()),
    )
    assert backend.kind_of(data) == "jsonl"
    assert state(data, clock) == before


def test_a_data_directory_with_everything_in_it_goes_there_and_back(lived_in, clock):
    before = state(lived_in, clock)
    assert (len(before[0]), before[1]) == (2, ["gone"])
    report = migrate(lived_in, "sqlite", clock)
    assert (report.threads, report.trashed, report.messages) == (2, 1, 4)
    assert report.complaints == []
    assert state(lived_in, clock) == before
    migrate(lived_in, "jsonl", clock)
    assert state(lived_in, clock) == before
    assert b'"top_p":0.8,' in (lived_in / "threads/t/thread.json").read_bytes()


@pytest.mark.parametrize("there", [["sqlite"], ["sqlite", "jsonl"]], ids=["there", "and-back"])
def test_what_was_done_before_can_be_undone_after(lived_in, clock, there):
    for kind in there:
        migrate(lived_in, kind, clock)
    store = backend.open_store(lived_in, clock)
    acts = {change.what: change.id for change in store.changes("t")}
    assert list(acts) == ["Renamed", "Edited", "Deleted “a1”"]
    store.undo("t", acts["Renamed"])
    assert store.get_thread("t").title == "Harbour walk"
    store.undo("t", acts["Edited"])
    assert store.get_thread("t").active_root_id is None
    restored = store.undo("t", acts["Deleted “a1”"])
    assert ids(restored) == ["q", "a1", "a2"]
    assert texts(restored)["a1"] == "words and more"
    store.undo("t", store.changes("t")[0].id)
    assert ids(store.read("t")) == ["q", "a2"]
    store.close()


def test_a_broken_thread_is_told_and_stays_broken_and_readable(data, clock):
    report = migrate(data, "sqlite", clock)
    assert [each for each in report.complaints if each.startswith("half-list-broken")]
    assert [each for each in report.complaints if "1 line could not be read" in each]
    store = backend.open_store(data, clock)
    with pytest.raises(Damaged):
        store.get_thread("half-list-broken")
    assert texts(store.read("half-list-broken")) == {"w0": "My text must not be lost."}
    store.close()
    raw = (data / "threads/half-list-broken/thread.json").read_bytes()
    migrate(data, "jsonl", clock)
    assert (data / "threads/half-list-broken/thread.json").read_bytes().strip() == raw.strip()


def test_migrating_to_what_it_is_already_does_nothing(lived_in, clock):
    before = sorted(lived_in.rglob("*"))
    assert migrate(lived_in, "jsonl", clock) is None
    assert sorted(lived_in.rglob("*")) == before


def test_the_old_data_stays_and_gives_way_when_it_would_be_in_the_way(lived_in, clock):
    old = (lived_in / "threads/t/messages.jsonl").read_bytes()
    first = migrate(lived_in, "sqlite", clock)
    assert first.aside is None
    assert (lived_in / "threads/t/messages.jsonl").read_bytes() == old
    store = backend.open_store(lived_in, clock)
    store.delete_thread("empty")
    store.empty_trash()
    store.create_message("t", said("new"))
    store.close()
    database = (lived_in / "threads.sqlite3").read_bytes()
    back = migrate(lived_in, "jsonl", clock)
    assert (back.aside / "threads/t/messages.jsonl").read_bytes() == old
    assert (back.aside / "threads/empty/thread.json").exists()
    assert state(lived_in, clock)[0] == ["t"]
    assert (lived_in / "threads.sqlite3").read_bytes() == database
    again = migrate(lived_in, "sqlite", clock)
    assert (again.aside / "threads.sqlite3").read_bytes() == database
    assert again.aside != back.aside


def test_other_files_of_a_thread_stay_in_its_folder(lived_in, clock):
    attached = lived_in / "threads/t/files/f1/original"
    attached.parent.mkdir(parents=True)
    attached.write_text("attached")
    migrate(lived_in, "sqlite", clock)
    migrate(lived_in, "jsonl", clock)
    assert attached.read_text() == "attached"
    assert not (lived_in / "migrating").exists()


def test_folders_that_cannot_be_threads_are_told_and_stay(lived_in, clock):
    shutil.copytree(lived_in / "threads/t", lived_in / "threads/copy of t")
    report = migrate(lived_in, "sqlite", clock)
    assert [each for each in report.complaints if "copy of t" in each]
    assert (lived_in / "threads/copy of t/messages.jsonl").exists()


@pytest.mark.parametrize("to", ["sqlite", "jsonl"])
def test_a_disk_too_full_leaves_everything_as_it_was(lived_in, clock, to):
    if to == "jsonl":
        migrate(lived_in, "sqlite", clock)
    before, kind = state(lived_in, clock), backend.kind_of(lived_in)
    with no_file_grows_beyond(500), pytest.raises(StorageFailed):
        migrate(lived_in, to, clock)
    assert backend.kind_of(lived_in) == kind
    assert state(lived_in, clock) == before
    assert not (lived_in / "migrating").exists()
    assert migrate(lived_in, to, clock).threads == 2
    assert state(lived_in, clock) == before


def test_what_a_migration_that_was_killed_left_behind_does_no_harm(lived_in, clock):
    (lived_in / "migrating/threads/t").mkdir(parents=True)
    (lived_in / "migrating/threads/t/thread.json").write_text("half")
    (lived_in / "migrating/threads.sqlite3").write_text("half")
    before = state(lived_in, clock)
    migrate(lived_in, "sqlite", clock)
    assert state(lived_in, clock) == before


acts = st.lists(
    st.tuples(st.lists(a_record, min_size=1, max_size=3), st.sampled_from(["", "An act"]))
    | st.just("rewrite"),
    max_size=8,
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(acts, st.sampled_from([["sqlite"], ["sqlite", "jsonl"], ["sqlite", "jsonl", "sqlite"]]))
def test_any_history_is_the_same_after_moving(history, path):
    root, clock = Path(tempfile.mkdtemp()), Clock()
    try:
        store = backend.open_store(root, clock)
        store.create_thread(thread())
        moments = []
        for act in history:
            if act == "rewrite":
                store.rewrite("t")
            else:
                store.write("t", act[0], what=act[1])
            moments.append((clock(), sorted(each.id for each in store.read("t").messages)))
        store = backend.open_store(root, clock)
        seen = {at: store.as_of("t", at).messages for at, _ in moments}
        before = state(root, clock)
        for kind in path:
            migrate(root, kind, clock)
            after = state(root, clock)
            assert after[:2] == before[:2]
            assert after[2]["t"][:2] == before[2]["t"][:2]
        store = backend.open_store(root, clock)
        for at, _ in moments:
            found = {each.id: each for each in store.as_of("t", at).messages}
            assert found == {each.id: each for each in seen[at]}
        store.close()
    finally:
        shutil.rmtree(root)
