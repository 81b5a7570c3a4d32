"""`strata backup` and `strata restore` as a person types them."""

import re
import shutil

import pytest
from click.testing import CliRunner

from tests.threads.store_contract import said, thread
from webapp.cli import main
from webapp.threads import backend
from webapp.threads.instance import InstanceLock


@pytest.fixture
def data(tmp_path, monkeypatch, clock):
    """A data directory with one thread, and models beside it."""
    monkeypatch.setenv("STRATA_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "models"))
    (tmp_path / "models").mkdir()
    (tmp_path / "models/small.gguf").write_bytes(b"a model")
    store = backend.open_store(tmp_path / "data", clock)
    store.create_thread(thread())
    store.create_message("t", said("a"))
    store.close()
    return tmp_path / "data"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "backups"


def strata(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def out(*words):
    result = strata(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def damage(folder, content):
    for path in folder.glob("objects/*/*"):
        if content in path.read_bytes():
            path.write_bytes(b"?" * path.stat().st_size)


def test_what_was_backed_up_comes_back_and_each_step_says_what_to_do_next(data, folder):
    first = out("backup", folder)
    assert re.match(r"Backed up 2 files, \d+ B; \d+ B of it was new, and was read again\.", first)
    assert f"To put it back: strata restore {folder}" in first
    assert "Nothing in it was new" in out("backup", folder)
    log = (data / "threads/t/messages.jsonl").read_bytes()
    shutil.rmtree(data)
    back = out("restore", folder)
    assert f"is back in {data}: 2 files" in back
    assert "people have to sign in again" in back
    assert (data / "threads/t/messages.jsonl").read_bytes() == log
    assert "All is well" in out("doctor")


def test_an_older_one_is_chosen_as_it_is_listed(data, folder, tmp_path):
    out("backup", folder)
    (data / "settings.toml").write_text("threads = 3")
    out("backup", folder)
    rows = out("backup", "list", folder).splitlines()
    assert [row.partition("  ")[2].partition(",")[0] for row in rows] == ["3 files", "2 files"]
    oldest = rows[1].partition("  ")[0]
    out("restore", folder, "--data", tmp_path / "new")
    assert (tmp_path / "new/settings.toml").exists()
    if oldest != rows[0].partition("  ")[0]:
        out("restore", folder, "--at", oldest, "--data", tmp_path / "old")
        assert not (tmp_path / "old/settings.toml").exists()
    refused = strata("restore", folder, "--at", "2001-01-01", "--data", tmp_path / "none")
    assert refused.exit_code == 1
    assert "The oldest one is from" in refused.output


def test_backups_of_several_directories_are_told_apart(data, folder, tmp_path):
    out("backup", folder)
    assert " of " not in out("backup", "list", folder).replace(" of it new", "")
    shutil.copytree(data, tmp_path / "other")
    out("backup", folder, "--data", tmp_path / "other")
    rows = out("backup", "list", folder).splitlines()
    assert [row.rpartition(" of ")[2] for row in rows] == [str(tmp_path / "other"), str(data)]


def test_older_ones_give_way(data, folder):
    for _ in range(3):
        out("backup", folder)
    assert "2 older backups removed." in out("backup", folder, "--keep", 2)
    assert len(out("backup", "list", folder).splitlines()) == 2
    assert strata("backup", folder, "--keep", 0).exit_code == 2


def test_models_come_along_when_asked_for(data, folder, tmp_path, monkeypatch):
    assert "3 files" in out("backup", folder, "--with-models")
    assert "with models" in out("backup", "list", folder)
    monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "more"))
    restored = out("restore", folder, "--with-models", "--data", tmp_path / "new")
    assert f"1 file put into {tmp_path / 'more'}" in restored
    assert (tmp_path / "more/small.gguf").read_bytes() == b"a model"
    again = out("restore", folder, "--with-models", "--data", tmp_path / "newer")
    assert "are unchanged: small.gguf" in again


def test_damage_is_found_told_mended_and_restored_around(data, folder, tmp_path):
    out("backup", folder)
    assert "Read 1 backup" in out("backup", "verify", folder)
    damage(folder, b"Harbour")
    found = strata("backup", "verify", folder)
    assert found.exit_code == 1
    assert "thread t: 1 file is damaged: thread.json." in found.output
    refused = strata("restore", folder, "--data", tmp_path / "new")
    assert refused.exit_code == 1
    assert "thread t: 1 file is damaged: thread.json." in refused.output
    assert "--skip-damaged" in refused.output
    assert not (tmp_path / "new").exists()
    rest = out("restore", folder, "--skip-damaged", "--data", tmp_path / "new")
    assert "Left out, because they are damaged:" in rest
    assert (tmp_path / "new/threads/t/messages.jsonl").exists()
    mended = out("backup", folder, "--verify")
    assert "Read 2 backups" in mended
    assert "All is well." in mended


def test_what_cannot_be_mended_ends_with_1(data, folder):
    out("backup", folder)
    damage(folder, b"Harbour")
    (data / "threads/t/thread.json").write_text('{"title": "Pier"}')
    left = strata("backup", folder, "--verify")
    assert left.exit_code == 1
    assert "Backup of" in left.output
    assert "Backed up 2 files" in left.output


@pytest.mark.parametrize("words", [("backup",), ("backup", "list"), ("restore",)])
def test_a_folder_has_to_be_named(data, words):
    result = strata(*words)
    assert result.exit_code == 2
    assert "FOLDER" in result.output


def test_what_cannot_be_is_told_in_two_sentences(data, folder, tmp_path):
    for words, told in (
        (("backup", data / "b"), "lies in"),
        (("backup", tmp_path / "models/b", "--with-models"), "lies in"),
        (("backup", tmp_path), "not empty"),
        (("backup", tmp_path / "usb/b"), "Connect its disk"),
        (("backup", folder, "--data", tmp_path / "none"), "no data directory"),
        (("backup", "list", tmp_path), "holds no backups"),
        (("backup", "verify", tmp_path / "usb"), "no folder"),
        (("restore", tmp_path), "holds no backups"),
        (("restore", tmp_path / "usb"), "no folder"),
    ):
        failed = strata(*words)
        assert failed.exit_code == 1, words
        assert failed.output.startswith("Error: "), words
        assert told in failed.output, words
    out("backup", folder)
    assert "not empty" in strata("restore", folder).output
    (folder / "backup.json").write_text('{"format": 99}')
    for words in (("backup", folder), ("restore", folder), ("backup", "list", folder)):
        assert "newer Strata" in strata(*words).output


def test_a_folder_without_a_finished_backup_says_so(data, folder):
    lock = InstanceLock(data)
    assert "Wait until it is done" in strata("backup", folder).output
    lock.release()
    assert "no finished backup" in out("backup", "list", folder)
    assert "no finished backup" in strata("restore", folder).output


def test_help_names_the_other_ways_to_call_it_and_all_options():
    text = out("backup", "--help")
    for words in ("list FOLDER", "verify FOLDER", "--keep", "--verify", "--with-models", "--data"):
        assert words in text
    assert "--at" in out("restore", "--help")
    assert "backup" in out("--help")


def test_a_disk_that_keeps_no_permissions_is_told(data, folder, monkeypatch):
    out("backup", folder)
    assert "anyone can read all of it" not in out("backup", folder)
    folder.chmod(0o777)
    monkeypatch.setattr("pathlib.Path.chmod", lambda path, mode: None)
    assert "anyone can read all of it" in out("backup", folder)
