"""`strata import` and `strata export` as a person types them."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.archives.lives import put_file
from tests.threads.store_contract import said, thread
from webapp.cli import main
from webapp.documents.scope import thread_scope
from webapp.people.register import Register
from webapp.threads import backend
from webapp.threads.instance import InstanceLock

FIELD_CASES = Path(__file__).parent / "data" / "threads"


@pytest.fixture
def data(tmp_path, monkeypatch, clock):
    """A data directory with one healthy thread, which has a file."""
    monkeypatch.setenv("STRATA_DATA", str(tmp_path / "data"))
    store = backend.open_store(tmp_path / "data", clock)
    store.create_thread(thread())
    store.create_message("t", said("a"))
    put_file(thread_scope(tmp_path / "data", "t"))
    return tmp_path / "data"


@pytest.fixture
def jan(tmp_path):
    shutil.copytree(FIELD_CASES, tmp_path / "jan" / "threads")
    return tmp_path / "jan"


def strata(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_threads_of_jan_come_in_once(data, jan):
    dry = strata("import", "jan", jan, "--dry-run")
    assert dry.exit_code == 0
    assert "5 threads," in dry.output
    assert "would come in" in dry.output
    first = strata("import", "jan", jan)
    assert "came in." in first.output
    assert "half-list-broken: thread.json could not be read" in first.output
    again = strata("import", "jan", jan)
    assert "0 threads, 0 messages, 0 assistants came in." in again.output
    assert "Already here: 5 threads." in again.output
    assert (data / "threads/switch-back/messages.jsonl").exists()


def test_threads_go_out_as_jan_keeps_them(data, tmp_path):
    out = strata("export", "jan", tmp_path / "out")
    assert out.exit_code == 0
    assert "1 thread, 1 message, 0 assistants written to" in out.output
    assert (tmp_path / "out/threads/t/messages.jsonl").exists()
    again = strata("export", "jan", tmp_path / "out")
    assert "Already there, and left as is: 1 thread." in again.output


EXPORTS = Path(__file__).parent / "data" / "exports"


@pytest.mark.parametrize(
    ("name", "program", "told"),
    [
        ("chatgpt.json", "ChatGPT", "3 threads, 12 messages"),
        ("open_webui.json", "Open WebUI", "2 threads, 7 messages"),
    ],
)
def test_exports_of_others_come_in_once(data, name, program, told):
    dry = strata("import", EXPORTS / name, "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert f"{program}: {told} would come in." in dry.output
    assert ("Damaged, and left out: 1." in dry.output) is (name == "chatgpt.json")
    assert f"{program}: {told} came in." in strata("import", EXPORTS / name).output
    again = strata("import", EXPORTS / name)
    assert f"{program}: 0 threads, 0 messages came in." in again.output
    assert f"Already here: {told[0]} threads." in again.output


def test_everything_goes_out_and_comes_in_elsewhere(data, tmp_path):
    strata("export", "json", tmp_path / "out.zip", "--with-files")
    done = strata("import", tmp_path / "out.zip", "--data", tmp_path / "new")
    assert done.exit_code == 0, done.output
    assert "Strata: 1 thread, 1 message, 1 file came in." in done.output
    new = tmp_path / "new/threads/t"
    assert (new / "files/f1/original").read_bytes() == (
        data / "threads/t/files/f1/original"
    ).read_bytes()


def test_what_comes_belongs_to_the_person_that_is_named(data, clock, new_id):
    register = Register(data / "people/people.json", clock_ms=clock, new_id=new_id)
    register.open_house()
    bob = register.join(register.roll().access_code, "Bob", "a long password")
    for words, owner in (((), register.roll().owner().id), (("--person", "bob"), bob.id)):
        done = strata("import", EXPORTS / "open_webui.json", *words)
        assert "2 threads, 7 messages came in." in done.output
        rows = backend.open_store(data, clock).list_threads()
        assert sum(row.metadata.get("owner") == owner for row in rows) == 2
    assert strata("import", EXPORTS / "open_webui.json", "--person", "Eve").exit_code == 1


def test_what_nothing_can_be_read_from_is_told_in_two_sentences(data, tmp_path):
    (tmp_path / "photo.json").write_bytes(b"\x89PNG")
    failed = strata("import", tmp_path / "photo.json")
    assert failed.exit_code == 1
    assert failed.output.startswith("Error: It is not a JSON list or object.")
    assert strata("import", tmp_path / "none.json").exit_code == 2
    assert "jan FOLDER" in strata("import", "--help").output


def test_nothing_comes_in_while_a_server_runs(data, jan):
    lock = InstanceLock(data)
    lock.announce("http://127.0.0.1:5100")
    for words in (("jan", jan), (EXPORTS / "chatgpt.json",)):
        refused = strata("import", *words)
        assert refused.exit_code == 1
        assert "already running" in refused.output
    lock.release()


def test_what_is_not_there_is_said_in_two_sentences(data, tmp_path):
    failed = strata("export", "jan", tmp_path / "o", "--data", tmp_path / "none")
    assert failed.exit_code == 1
    assert failed.output.startswith("Error: There is no data directory at ")
    assert "--data" in failed.output
    assert not (tmp_path / "none").exists()
    failed = strata("import", "jan", tmp_path / "none")
    assert failed.output.startswith("Error: There are no threads in ")


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (["json"], "threads/t.json"),
        (["markdown"], "Harbour walk.md"),
        (["markdown", "--versions"], "Harbour walk.md"),
        (["jan"], "threads/t/messages.jsonl"),
    ],
)
def test_everything_goes_into_a_zip_with_its_files_if_they_are_wanted(data, tmp_path, words, there):
    for name, more in (("plain.zip", []), ("files.zip", ["--with-files"])):
        out = strata("export", *words, tmp_path / name, *more)
        assert out.exit_code == 0, out.output
        assert "1 of 1 thread\n" in out.output
        assert f"1 thread, 1 message written to {tmp_path / name}." in out.output
        with zipfile.ZipFile(tmp_path / name) as archive:
            assert archive.testzip() is None
            assert there in archive.namelist()
            has_file = any(each.endswith("lease.txt") for each in archive.namelist())
            assert has_file is bool(more)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data", "files.zip", "plain.zip"]


def test_a_file_that_is_there_is_left_as_it_is(data, tmp_path):
    (tmp_path / "out.zip").write_text("mine")
    refused = strata("export", "json", tmp_path / "out.zip")
    assert refused.exit_code == 1
    assert "already exists" in refused.output
    assert (tmp_path / "out.zip").read_text() == "mine"
    refused = strata("export", "json", tmp_path / "nowhere" / "out.zip")
    assert refused.exit_code == 1
    assert "Nothing was saved" in refused.output
    assert strata("export", "jan", tmp_path / "out", "--with-files").exit_code == 2


def test_each_takes_only_what_is_theirs(data, tmp_path, clock, new_id):
    register = Register(data / "people/people.json", clock_ms=clock, new_id=new_id)
    register.open_house()
    bob = register.join(register.roll().access_code, "Bob", "a long password")
    store = backend.open_store(data, clock)
    store.create_thread(thread("b").with_metadata({"owner": bob.id}))

    def threads_of(name, *words):
        out = strata("export", "json", tmp_path / name, *words)
        assert out.exit_code == 0, out.output
        with zipfile.ZipFile(tmp_path / name) as archive:
            found = [each for each in archive.namelist() if each.startswith("threads/")]
            return [json.loads(archive.read(each))["thread"]["id"] for each in found]

    assert threads_of("owner.zip") == ["t"]
    assert threads_of("bob.zip", "--person", "bob") == ["b"]
    nobody = strata("export", "json", tmp_path / "x.zip", "--person", "Eve")
    assert nobody.exit_code == 1
    assert "There is nobody called Eve." in nobody.output
