"""`strata migrate`, `doctor` and `reindex` as a person types them."""

from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from tests.threads.store_contract import said, thread
from webapp.cli import main
from webapp.threads import backend
from webapp.threads.instance import InstanceLock


@pytest.fixture
def data(tmp_path, monkeypatch, clock):
    """A data directory with one healthy thread."""
    monkeypatch.setenv("STRATA_DATA", str(tmp_path / "data"))
    store = backend.open_store(tmp_path / "data", clock)
    store.create_thread(thread())
    store.create_message("t", said("a"))
    return tmp_path / "data"


def strata(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_threads_move_to_one_file_and_back_and_what_is_there_is_said(data):
    there = strata("migrate", "--to", "sqlite")
    assert (there.exit_code, backend.kind_of(data)) == (0, "sqlite")
    assert "1 thread, 0 in the trash, 1 message: copied and compared." in there.output
    assert "already" in strata("migrate", "--to", "sqlite").output
    back = strata("migrate", "--to", "jsonl")
    assert (back.exit_code, backend.kind_of(data)) == (0, "jsonl")
    assert "earlier migration" in back.output
    assert strata("migrate", "--to", "paper").exit_code == 2


def test_the_doctor_ends_with_1_until_what_is_wrong_is_mended(data):
    well = strata("doctor")
    assert (well.exit_code, well.output) == (0, "Looked at 1 thread, 1 message. All is well.\n")
    with (data / "threads/t/messages.jsonl").open("ab") as file:
        file.write(b"junk\n")
    ill = strata("doctor")
    assert ill.exit_code == 1
    assert ill.output.splitlines() == [
        "t: 1 line cannot be read: 2.",
        "Looked at 1 thread, 1 message. 1 thing found. `strata doctor --repair` makes a copy and"
        " mends what it can.",
    ]
    mended = strata("doctor", "--repair")
    assert mended.exit_code == 0
    assert "1 thing mended; everything as it was is in" in mended.output
    assert strata("doctor").exit_code == 0


def test_what_cannot_be_mended_is_still_wrong_afterwards(data):
    (data / "threads/t/notes.txt").write_text("mine")
    again = strata("doctor", "--repair")
    assert again.exit_code == 1
    assert "notes.txt" in again.output
    assert "--repair" not in again.output


def test_nothing_is_moved_or_mended_while_a_server_runs(data):
    lock = InstanceLock(data)
    lock.announce("http://127.0.0.1:5100")
    for words in (("migrate", "--to", "sqlite"), ("doctor", "--repair")):
        refused = strata(*words)
        assert refused.exit_code == 1
        assert "already running" in refused.output
        assert "http://127.0.0.1:5100" in refused.output
    looked = strata("doctor")
    assert looked.exit_code == 0
    assert "already running" in looked.output
    lock.release()


def test_what_is_not_there_is_said_in_two_sentences(data, tmp_path):
    for words in (("doctor",), ("migrate", "--to", "sqlite"), ("reindex",)):
        failed = strata(*words, "--data", tmp_path / "none")
        assert failed.exit_code == 1
        assert failed.output.startswith("Error: There is no data directory at ")
        assert "--data" in failed.output
    assert not (tmp_path / "none").exists()


def test_titles_that_steer_a_terminal_are_shown_as_they_are(data):
    (data / "threads/\x1b[31mred").mkdir()
    shown = strata("doctor")
    assert "\x1b" not in shown.output
    assert "?[31mred" in shown.output


def test_the_index_is_made_anew_from_the_command_line(data):
    (data / "cache").mkdir(exist_ok=True)
    (data / "cache" / "find.sqlite3").write_bytes(b"torn")
    done = strata("reindex")
    assert done.exit_code == 0
    assert "2 messages and titles can be found." in done.output
    with _held(data):
        assert strata("reindex").exit_code == 1


@contextmanager
def _held(data):
    lock = InstanceLock(data)
    yield
    lock.release()
