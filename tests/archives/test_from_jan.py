"""A data folder of Jan in a zip."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from webapp.archives.come import AssistantCome, DamagedCome, ThreadCome
from webapp.archives.sources import source
from webapp.chat.tool_calls import tool_calls
from webapp.errors import NotFound
from webapp.threads.assistant_files import MARKER

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
        "Its title and times were put together from the rest.",
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


def test_names_that_are_no_ids_are_told_and_other_places_passed_over(jan):
    more = {
        "threads/not an id/thread.json": b"{}",
        "threads/deep/er/thread.json": b"{}",
        "threads/.hidden/thread.json": b"{}",
    }
    _, total, comes = read(jan("", more))
    [damaged] = [each for each in comes if isinstance(each, DamagedCome) and each.name != "torn"]
    assert (total, damaged.name, damaged.why) == (6, "not an id", "Its id cannot be used here.")


def test_thinking_pictures_and_calls_in_parts_and_times_in_other_units(jan):
    said = {
        "id": "a",
        "role": "assistant",
        "created_at": 1735700000,
        "content": [
            {"type": "reasoning", "text": {"value": "Hm."}},
            {"type": "text", "text": {"value": "Look:", "annotations": []}},
            {
                "type": "tool_call",
                "tool_call_id": "c",
                "tool_name": "see",
                "input": {},
                "output": "x",
            },
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ],
    }
    more = {
        "threads/x/thread.json": b'{"title": "X", "created": 1735700000123, "updated": 1735700001}',
        "threads/x/messages.jsonl": json.dumps(said).encode(),
    }
    comes = [each for each in read(jan("", more))[2] if isinstance(each, ThreadCome)]
    [come] = [each for each in comes if each.thread.id == "x"]
    assert (come.thread.created, come.thread.updated) == (1735700000.123, 1735700001)
    [message] = come.messages
    assert message.created_at == 1735700000000
    assert message.text == "<think>\nHm.\n</think>\n\nLook:\n\n[A picture]"
    [call] = tool_calls(message)
    assert (call.id, call.name, call.result) == ("c", "see", "x")


@pytest.fixture
def folder(tmp_path):
    """Jan's own, not in a zip."""
    place = tmp_path / "jan"
    shutil.copytree(THREADS, place / "threads")
    (place / "threads/.DS_Store").write_bytes(b"")
    (place / "threads/empty").mkdir()
    (place / "assistants/jan").mkdir(parents=True)
    (place / "assistants/jan/assistant.json").write_bytes(b'{"id":"jan","name":"Jan"}')
    (place / "assistants" / MARKER).write_bytes(b"3")
    return place


def test_the_folder_itself_gives_what_a_zip_of_it_gives(folder, jan, tmp_path):
    program, total, comes = read(folder)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for file in folder.rglob("*.json*"):
            archive.write(file, file.relative_to(folder))
        archive.write(folder / "assistants" / MARKER, f"assistants/{MARKER}")
    assert (program, total, comes) == read(tmp_path / "all.zip")
    assert total == 5


def test_a_thread_that_cannot_be_read_stops_no_other(folder, monkeypatch):
    opened = Path.open

    def torn(path, *args, **more):
        if "switch-back" in path.parts:
            raise PermissionError
        return opened(path, *args, **more)

    monkeypatch.setattr(Path, "open", torn)
    comes = read(folder)[2]
    [damaged] = [each for each in comes if isinstance(each, DamagedCome)]
    assert damaged.name == "switch-back"
    assert damaged.why.startswith("It cannot be read.")


def test_a_folder_of_another_is_none_and_one_with_no_thread_gives_its_assistants(folder, tmp_path):
    (tmp_path / "other").mkdir()
    with pytest.raises(NotFound, match="no threads"):
        read(tmp_path / "other")
    for each in ("threads", "gone"):
        shutil.rmtree(folder / each, ignore_errors=True)
    (folder / "threads").mkdir()
    program, total, [come] = read(folder)
    assert (program, total, come.id) == ("Jan", 0, "jan")
