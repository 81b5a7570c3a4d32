"""A data folder of Jan in a zip."""

import zipfile
from pathlib import Path

import pytest

from webapp.archives.come import AssistantCome, DamagedCome, ThreadCome
from webapp.archives.sources import source

THREADS = Path(__file__).resolve().parent.parent / "data" / "threads"


@pytest.fixture
def jan(tmp_path):
    """Makes such a zip, with the folder at its top or deeper."""

    def make(at, more=None):
        path = tmp_path / "jan.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for file in THREADS.glob("*/*"):
                archive.write(file, f"{at}threads/{file.parent.name}/{file.name}")
            archive.writestr(f"{at}assistants/jan/assistant.json", b'{"id":"jan","name":"Jan"}')
            archive.writestr(f"{at}assistants/torn/assistant.json", b"{")
            for name, data in (more or {}).items():
                archive.writestr(name, data)
        return path

    return make


def read(path):
    with source(path, 1_767_225_600_000) as found:
        return found.program, found.total, list(found.read())


@pytest.mark.parametrize("at", ["", "Jan/data/"])
def test_threads_and_assistants_come_with_what_is_whole_of_them(jan, at):
    program, total, comes = read(jan(at))
    threads = {each.thread.id: each for each in comes if isinstance(each, ThreadCome)}
    assert (program, total, len(threads)) == ("Jan", 5, 5)
    assert threads["switch-back"].thread.title == "Harbour walk"
    assert threads["half-list-broken"].notes == (
        "Its title and times are put together from the rest.",
    )
    [assistant] = [each for each in comes if isinstance(each, AssistantCome)]
    assert (assistant.id, assistant.fields["name"]) == ("jan", "Jan")
    [damaged] = [each for each in comes if isinstance(each, DamagedCome)]
    assert damaged.name == "torn"


def test_damaged_lines_are_told(jan):
    more = {"threads/x/messages.jsonl": b'{"id":"a","role":"user"}\nrubbish\n'}
    comes = [each for each in read(jan("", more))[2] if isinstance(each, ThreadCome)]
    [come] = [each for each in comes if each.thread.id == "x"]
    assert come.notes[0] == "1 line of it could not be read."
    assert [each.id for each in come.messages] == ["a"]


def test_names_that_are_no_ids_are_passed_over(jan):
    more = {"threads/not an id/thread.json": b"{}", "threads/deep/er/thread.json": b"{}"}
    assert read(jan("", more))[1] == 5
