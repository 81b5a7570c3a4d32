"""Whole or not at all, and equal to what was there."""

import shutil

import pytest

from tests.backups.house import back_up, bytes_of, fill, restore, seen
from tests.threads.disk_faults import folder_for_anyone, no_file_grows_beyond, read_only
from webapp.backups import vault as vaults
from webapp.errors import AlreadyRunning, Conflict, Damaged, StorageFailed
from webapp.threads.instance import InstanceLock


@pytest.fixture(scope="module", params=["jsonl", "sqlite"])
def kept(request, tmp_path_factory):
    """A full data directory, what is seen of it, and a backup."""
    top = tmp_path_factory.mktemp(request.param)
    root = fill(top / "data", request.param)
    before = bytes_of(root), seen(root)
    back_up(root, top / "backups")
    return root, top / "backups", before


def test_what_was_deleted_comes_back_byte_by_byte_and_message_by_message(kept, tmp_path):
    _, folder, (files, shown) = kept
    assert "people/people.json" in files
    assert shown["passages"] == ["contract.txt", "garden.txt"]
    assert shown["wrong"] == []
    done = restore(folder, tmp_path / "data")
    assert bytes_of(tmp_path / "data") == files
    assert done.left_out == []
    assert seen(tmp_path / "data") == shown


def test_what_can_be_made_again_and_who_is_signed_in_stays_behind(kept, tmp_path):
    root, folder, _ = kept
    assert (root / "people/sessions.json").exists()
    restore(folder, tmp_path / "data")
    names = {path.relative_to(tmp_path / "data").as_posix() for path in tmp_path.rglob("*")}
    assert not names & {"cache", "lance", "instance.lock", "last-backup.json"}
    assert "people/sessions.json" not in names
    assert not [name for name in names if name.endswith(("-wal", "-shm"))]


def test_folders_and_files_have_the_modes_and_times_they_had(kept, tmp_path):
    root, folder, _ = kept
    restore(folder, tmp_path / "data")
    for name in ("", "people", "threads", "people/people.json", "settings.toml"):
        was, now = (root / name).stat(), (tmp_path / "data" / name).stat()
        assert (name, now.st_mode) == (name, was.st_mode)
    assert now.st_mtime_ns == was.st_mtime_ns


def test_a_directory_that_is_empty_but_for_a_lock_takes_it(kept, tmp_path):
    _, folder, (files, _) = kept
    InstanceLock(tmp_path / "data").release()
    restore(folder, tmp_path / "data")
    assert bytes_of(tmp_path / "data") == files


def test_a_link_to_an_empty_folder_stays_a_link(kept, tmp_path):
    _, folder, (files, _) = kept
    (tmp_path / "disk").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "disk")
    restore(folder, tmp_path / "data")
    assert (tmp_path / "data").is_symlink()
    assert bytes_of(tmp_path / "disk") == files


def test_a_place_where_a_disk_is_mounted_is_refused(kept, tmp_path, monkeypatch):
    _, folder, _ = kept
    monkeypatch.setattr("pathlib.Path.is_mount", lambda path: path.name == "data")
    with pytest.raises(Conflict, match="a disk is mounted"):
        restore(folder, tmp_path / "data")


@pytest.mark.parametrize("there", ["settings.toml", "threads/t/thread.json"])
def test_nothing_that_is_there_is_overwritten(kept, tmp_path, there):
    _, folder, _ = kept
    path = tmp_path / "data" / there
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(Conflict, match=r"not empty.*Move it away"):
        restore(folder, tmp_path / "data")
    assert path.read_text() == "mine"


def test_a_running_strata_and_another_restore_are_named(kept, tmp_path):
    _, folder, _ = kept
    lock = InstanceLock(tmp_path / "data")
    with pytest.raises(AlreadyRunning):
        restore(folder, tmp_path / "data")
    lock.release()
    other = InstanceLock(tmp_path / "data.restoring")
    with pytest.raises(Conflict, match="Another restore"):
        restore(folder, tmp_path / "data")
    other.release()


def test_what_a_restore_left_that_was_killed_is_no_hindrance(kept, tmp_path):
    _, folder, (files, _) = kept
    left = tmp_path / "data.restoring"
    (left / "threads/half").mkdir(parents=True)
    (left / "threads/half/thread.json").write_text("{")
    (left / "settings.toml").write_text("half")
    restore(folder, tmp_path / "data")
    assert bytes_of(tmp_path / "data") == files
    assert not left.exists()


def test_a_disk_that_runs_full_gets_nothing(kept, tmp_path):
    _, folder, _ = kept
    with no_file_grows_beyond(40), pytest.raises(StorageFailed, match="Nothing was restored"):
        restore(folder, tmp_path / "data")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_may_not_be_written_to_is_named(kept):
    with folder_for_anyone() as top:
        shutil.copytree(kept[1], top / "backups")
        (top / "place").mkdir()
        with read_only(top), pytest.raises(StorageFailed, match=r"does not allow it.*Check"):
            restore(top / "backups", top / "place" / "data")


class TestDamage:
    @pytest.fixture
    def hit(self, tmp_path):
        """A backup in which the log of one thread, a file of it, and a model are damaged."""
        root = fill(tmp_path / "data")
        (tmp_path / "models").mkdir()
        (tmp_path / "models/small.gguf").write_bytes(b"a model")
        back_up(root, tmp_path / "backups", models=tmp_path / "models")
        state = vaults.opened(tmp_path / "backups").listing().states[0]
        ends = ("messages.jsonl", "/original", "small.gguf")
        for entry in state.files:
            if entry.path.endswith(ends) and ("Harbour" in self.title(root, entry.path)):
                damage(tmp_path / "backups", entry.pieces[0])
        return tmp_path

    def title(self, root, path):
        parts = path.split("/")
        if parts[1] != "threads":
            return "Harbour" if path.startswith("models") else ""
        return (root / "threads" / parts[2] / "thread.json").read_text()

    def test_it_is_told_by_thread_and_file_and_nothing_is_restored(self, hit):
        with pytest.raises(Damaged) as told:
            restore(hit / "backups", hit / "new", models=hit / "more")
        words = str(told.value)
        assert "thread “Harbour walk” (" in words
        assert "messages.jsonl" in words
        assert "original of “contract.txt”" in words
        assert "the models: 1 file is damaged: small.gguf." in words
        assert "--skip-damaged" in words
        assert not (hit / "new").exists()
        assert list((hit / "more").iterdir()) == []

    def test_titles_that_steer_a_terminal_are_told_as_they_are(self, tmp_path):
        folder = tmp_path / "data/threads/t"
        folder.mkdir(parents=True)
        (folder / "thread.json").write_text('{"title": "\\u001b[31mred"}')
        (folder / "messages.jsonl").write_text("{}\n")
        state = back_up(tmp_path / "data", tmp_path / "backups").state
        entry = next(each for each in state.files if each.path.endswith("messages.jsonl"))
        damage(tmp_path / "backups", entry.pieces[0])
        with pytest.raises(Damaged) as told:
            restore(tmp_path / "backups", tmp_path / "new")
        assert "?[31mred" in str(told.value)

    def test_all_else_is_restored_if_that_is_wanted(self, hit):
        done = restore(hit / "backups", hit / "new", despite_damage=True)
        was, now = bytes_of(hit / "data"), bytes_of(hit / "new")
        gone = was.keys() - now.keys()
        assert {name.rpartition("/")[2] for name in gone} == {"messages.jsonl", "original"}
        assert now == {name: each for name, each in was.items() if name not in gone}
        assert "Harbour walk" in "".join(done.left_out)

    def test_a_database_that_is_hit_holds_all_threads(self, tmp_path):
        root = fill(tmp_path / "data", "sqlite")
        state = back_up(root, tmp_path / "backups").state
        entry = next(each for each in state.files if each.path == "data/threads.sqlite3")
        damage(tmp_path / "backups", entry.pieces[-1])
        with pytest.raises(Damaged, match="All threads are in it"):
            restore(tmp_path / "backups", tmp_path / "new")


def damage(folder, digest):
    path = folder / "objects" / digest[:2] / digest[2:]
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


class TestModels:
    @pytest.fixture
    def folder(self, tmp_path):
        root = fill(tmp_path / "data")
        models = tmp_path / "models"
        models.mkdir()
        (models / "one.gguf").write_bytes(b"one")
        (models / "one.gguf.json").write_bytes(b"{}")
        (models / "half.gguf.part").write_bytes(b"half")
        back_up(root, tmp_path / "backups", models=models)
        return tmp_path / "backups"

    def test_they_come_back_beside_those_that_are_there(self, folder, tmp_path):
        more = tmp_path / "more"
        more.mkdir()
        (more / "one.gguf.json").write_text("mine")
        done = restore(folder, tmp_path / "new", models=more)
        assert {each.name for each in more.iterdir()} == {"one.gguf", "one.gguf.json"}
        assert (more / "one.gguf.json").read_text() == "mine"
        assert (done.models, done.known) == (1, ["one.gguf.json"])

    def test_they_stay_in_the_backup_unless_asked_for(self, folder, tmp_path):
        assert restore(folder, tmp_path / "new").models == 0
        assert not (tmp_path / "more").exists()
