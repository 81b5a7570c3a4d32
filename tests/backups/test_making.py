"""A backup is whole or not there, also while Strata runs; the next one copies what changed."""

import itertools
import os
import shutil
import sqlite3
import threading

import pytest

from tests.backups.house import NOW, back_up, bytes_of, fill, messages, restore
from tests.conftest import Clock
from tests.threads.disk_faults import folder_for_anyone, no_file_grows_beyond, read_only
from tests.threads.store_contract import said, thread
from webapp.backups import note, source
from webapp.backups import vault as vaults
from webapp.backups.checking import check
from webapp.backups.making import Order, make
from webapp.chat.records import Append
from webapp.errors import Conflict, NotFound, StorageFailed
from webapp.threads import backend
from webapp.threads.doctor import examine
from webapp.threads.instance import InstanceLock
from webapp.threads.migration import migrate


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """Full data directories, to be copied: filling one takes a second."""
    made = {}

    def of(kind):
        if kind not in made:
            made[kind] = fill(tmp_path_factory.mktemp(kind) / "data", kind)
        return made[kind]

    return of


@pytest.fixture(params=["jsonl", "sqlite"])
def root(request, tmp_path, life):
    return shutil.copytree(life(request.param), tmp_path / "data", symlinks=True)


def store_of(root):
    return backend.open_store(root, Clock())


def test_a_second_run_copies_only_what_changed_and_the_first_can_still_be_restored(root, tmp_path):
    first = back_up(root, tmp_path / "backups").state
    was = bytes_of(root), messages(root)
    assert first.fresh > 0
    assert back_up(root, tmp_path / "backups").state.fresh == 0
    (root / "settings.toml").write_text("threads = 3\n")
    shutil.rmtree(root / "projects")
    third = back_up(root, tmp_path / "backups").state
    assert third.fresh == 12
    restore(tmp_path / "backups", tmp_path / "old", first)
    assert (bytes_of(tmp_path / "old"), messages(tmp_path / "old")) == was
    restore(tmp_path / "backups", tmp_path / "new")
    assert bytes_of(tmp_path / "new") == bytes_of(root)


def test_a_database_is_cut_so_that_a_message_costs_a_piece_and_not_the_file(tmp_path):
    store = backend.open_store(tmp_path / "data", Clock())
    store.create_thread(thread())
    for number in range(30):
        store.create_message("t", said(f"m{number}", "x" * 700_000))
    store.close()
    migrate(tmp_path / "data", "sqlite", Clock())
    first = back_up(tmp_path / "data", tmp_path / "backups").state
    store = store_of(tmp_path / "data")
    store.create_message("t", said("one more"))
    store.close()
    second = back_up(tmp_path / "data", tmp_path / "backups").state
    assert first.fresh > 20_000_000
    assert second.fresh < 2 * 4_300_000 + 1_000_000


def test_the_moment_and_the_folder_are_noted_for_the_page(root, tmp_path):
    assert note.read(root) is None
    back_up(root, tmp_path / "backups")
    assert note.read(root) == note.LastBackup(NOW, str(tmp_path / "backups"))


def test_two_backups_of_one_moment_are_two(root, tmp_path):
    moments = [back_up(root, tmp_path / "backups", NOW).state.made for _ in range(3)]
    assert moments == [NOW, NOW + 1, NOW + 2]
    assert len(vaults.opened(tmp_path / "backups").listing().states) == 3


def test_it_is_made_while_strata_runs(root, tmp_path):
    lock = InstanceLock(root)
    lock.announce("http://127.0.0.1:5100")
    back_up(root, tmp_path / "backups")
    lock.release()
    restore(tmp_path / "backups", tmp_path / "new")
    assert bytes_of(tmp_path / "new") == bytes_of(root)


def test_not_while_threads_are_moved_or_mended(root, tmp_path):
    lock = InstanceLock(root)
    with pytest.raises(Conflict, match=rf"Process {os.getpid()} .* at work on .* Wait"):
        back_up(root, tmp_path / "backups")
    lock.release()
    assert vaults.opened(tmp_path / "backups").listing().states == []


def test_nor_when_they_were_moved_meanwhile(root, tmp_path, monkeypatch):
    was = backend.kind_of(root)
    real = source.parents

    def moved(place):
        backend.choose(root, "sqlite" if was == "jsonl" else "jsonl")
        return real(place)

    monkeypatch.setattr(source, "models", lambda folder: iter(()))
    monkeypatch.setattr(
        source, "parts", lambda place, parts=source.parts: moved(place) and parts(place)
    )
    with pytest.raises(Conflict, match="another store in the meantime"):
        back_up(root, tmp_path / "backups")


def test_while_answers_are_written_the_copy_is_sound(root, tmp_path):
    """A store in use: an answer grows, questions are asked, and a thread goes and comes back."""
    done, begun = threading.Event(), threading.Event()

    store = store_of(root)
    store.create_thread(thread("busy"))
    store.create_message("busy", said("q", "?"))
    store.create_message("busy", said("a", "!", parent="q"))

    def live():
        for number in itertools.count():
            begun.set()
            store.write("busy", [Append("a", f" word{number}")], durable=False)
            store.create_message("busy", said(f"m{number}", "more", parent="q"))
            if number % 50 == 25:
                store.delete_thread("busy")
                done.wait(0.02)
                store.restore_thread("busy")
            if done.wait(0.02):
                return

    writer = threading.Thread(target=live)
    writer.start()
    begun.wait(20)
    try:
        for _ in range(4):
            back_up(root, tmp_path / "backups")
    finally:
        done.set()
        writer.join()
        store.close()
    vault = vaults.opened(tmp_path / "backups")
    assert check(vault).findings == []
    for number, state in enumerate(vault.listing().states):
        new = tmp_path / f"new{number}"
        restore(tmp_path / "backups", new, state)
        assert examine(new).findings == []
        store = store_of(new)
        if not any(each.id == "busy" for each in store.list_threads()):
            store.restore_thread("busy")
        assert store.read("busy").messages[0].text == "?"
        store.close()


def test_a_thread_that_goes_to_the_trash_meanwhile_is_copied_once(tmp_path, monkeypatch):
    root = tmp_path / "data"
    store = backend.open_store(root, Clock())
    for name in ("a", "b"):
        store.create_thread(thread(name))
    real = source.look
    moved = []

    def look(place, part):
        if part == "threads/b" and not moved:
            moved.append(store.delete_thread("a"))
        return real(place, part)

    monkeypatch.setattr("webapp.backups.copying.look", look)
    state = back_up(root, tmp_path / "backups").state
    owners = [entry.path.split("/")[1:3] for entry in state.files if "thread.json" in entry.path]
    assert [top for top, _ in owners] == ["threads", "trash"]


def test_there_must_be_something_and_it_must_be_there(tmp_path):
    (tmp_path / "data/cache").mkdir(parents=True)
    with pytest.raises(NotFound, match="nothing to back up"):
        back_up(tmp_path / "data", tmp_path / "backups")
    assert vaults.opened(tmp_path / "backups").listing().states == []


def test_a_target_that_runs_full_keeps_what_came_and_is_gone_on_with(root, tmp_path):
    first = back_up(root, tmp_path / "backups").state
    (root / "threads/large/files/1").mkdir(parents=True)
    for name in ("a", "b"):
        (root / f"threads/large/files/1/{name}").write_bytes(os.urandom(900_000))
    (root / "threads/large/files/1/c").write_bytes(os.urandom(2_000_000))
    with no_file_grows_beyond(1_000_000), pytest.raises(StorageFailed) as told:
        back_up(root, tmp_path / "backups")
    assert str(tmp_path / "backups") in str(told.value)
    assert "was not finished: the disk is full" in str(told.value)
    assert "Earlier ones are whole" in str(told.value)
    vault = vaults.opened(tmp_path / "backups")
    assert vault.listing().states == [first]
    assert check(vault).findings == []
    assert back_up(root, tmp_path / "backups").state.fresh < 2_100_000
    restore(tmp_path / "backups", tmp_path / "new")
    assert bytes_of(tmp_path / "new") == bytes_of(root)


def test_a_database_that_does_not_fit_is_told_of_the_target(tmp_path, life):
    root = shutil.copytree(life("sqlite"), tmp_path / "data")
    with no_file_grows_beyond(8192), pytest.raises(StorageFailed, match="was not finished"):
        back_up(root, tmp_path / "backups")


def test_a_file_that_may_not_be_read_is_named_and_nothing_is_made(life):
    with folder_for_anyone() as top:
        root = shutil.copytree(life("jsonl"), top / "data")
        with read_only(top / "data"):
            (top / "data").stat()
        (root / "settings.toml").chmod(0o000)
        if os.geteuid() == 0:
            os.chown(top, 65534, 65534)
            os.seteuid(65534)
        try:
            with pytest.raises(StorageFailed, match=r"could not be read: .* does not allow it"):
                back_up(root, top / "backups")
        finally:
            if os.getuid() == 0:
                os.seteuid(0)
        (root / "settings.toml").chmod(0o600)
        assert vaults.opened(top / "backups").listing().states == []


@pytest.mark.parametrize("how", ["a page", "the head"])
def test_a_damaged_database_is_copied_and_told(tmp_path, life, how):
    root = shutil.copytree(life("sqlite"), tmp_path / "data")
    with sqlite3.connect(root / "threads.sqlite3") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with (root / "threads.sqlite3").open("r+b") as file:
        file.seek(0 if how == "the head" else 4096)
        file.write(b"\xff" * 4096)
    done = back_up(root, tmp_path / "backups")
    assert any("threads.sqlite3 is damaged" in each for each in done.complaints)
    restore(tmp_path / "backups", tmp_path / "new")
    assert (tmp_path / "new/threads.sqlite3").stat().st_size


def test_what_is_no_file_is_told_and_the_rest_is_copied(root, tmp_path):
    (root / "threads/nowhere").symlink_to(tmp_path / "none")
    done = back_up(root, tmp_path / "backups")
    assert "leads to a place that does not exist" in done.complaints[0]


def test_how_far_it_is_is_told_up_to_the_end(root, tmp_path):
    steps = []
    vault = vaults.made(tmp_path / "backups", root)
    with vault.held():
        make(vault, Order(root), lambda: NOW, steps.append)
    assert steps[-1].done == steps[-1].total > 0
    assert all(step.done < step.total for step in steps[:-1])


def test_threads_that_are_not_there_are_no_backup(life, tmp_path):
    root = shutil.copytree(life("sqlite"), tmp_path / "data")
    (root / "threads.sqlite3").unlink()
    with pytest.raises(StorageFailed, match="says that the threads are in it"):
        back_up(root, tmp_path / "backups")
    root = shutil.copytree(life("jsonl"), tmp_path / "other")
    shutil.rmtree(root / "threads")
    (root / "threads").symlink_to(tmp_path / "usb")
    with pytest.raises(StorageFailed, match="could not be read"):
        back_up(root, tmp_path / "backups")


def test_threads_on_another_disk_come_along(life, tmp_path):
    root = shutil.copytree(life("jsonl"), tmp_path / "data")
    (root / "threads").rename(tmp_path / "disk")
    (root / "threads").symlink_to(tmp_path / "disk")
    back_up(root, tmp_path / "backups")
    restore(tmp_path / "backups", tmp_path / "new")
    assert messages(tmp_path / "new") == messages(root)


def test_a_folder_that_held_backups_of_another_directory_is_told(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "settings.toml").write_text("")
    assert back_up(tmp_path / "a", tmp_path / "backups").complaints == []
    told = back_up(tmp_path / "b", tmp_path / "backups").complaints
    assert told == [
        f"The last backup in this folder was of {tmp_path / 'a'}; this one is of {tmp_path / 'b'}."
    ]


def test_no_models_where_some_were_wanted_is_told(root, tmp_path):
    (tmp_path / "models").mkdir()
    done = back_up(root, tmp_path / "backups", models=tmp_path / "models")
    assert done.complaints == [f"There are no models in {tmp_path / 'models'}."]
