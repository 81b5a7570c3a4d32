"""Downloads that are paused, cut off and killed arrive whole all the same."""

import json
import signal
import subprocess
import sys
import threading

import pytest

from tests.engines.fake_hub import hub
from tests.engines.wheelhouse import sha256, tiny_gguf
from webapp.engines.catalog import Catalog
from webapp.engines.model_lane import ORIGINS, ModelLane
from webapp.engines.part_file import PartFile
from webapp.engines.shelf import Shelf
from webapp.errors import BadInput, Conflict, NotFound

__all__ = ["hub"]
SECONDS = 60
REFERENCE = "owner/repo/mine.gguf"
DATA = tiny_gguf(tensors=2000)
EMPTY = Catalog(())

KILLED = """
import os, signal, sys, threading
from pathlib import Path
from huggingface_hub import constants
from webapp.engines import hub_source
from webapp.engines.catalog import Catalog
from webapp.engines.model_lane import ModelLane
from webapp.engines.progress import Meter
from webapp.engines.shelf import Shelf
folder, url, reference, least = sys.argv[1:]
constants.ENDPOINT = url
constants.HUGGINGFACE_CO_URL_TEMPLATE = url + "/{repo_id}/resolve/{revision}/{filename}"
hub_source._CHUNK = 4096
report = Meter.report
def killed(meter, stage, done, total):
    if stage == "downloading" and done > int(least):
        os.kill(os.getpid(), signal.SIGKILL)
    report(meter, stage, done, total)
Meter.report = killed
lane = ModelLane(Shelf(Path(folder)), Catalog(()))
lane.fetch(reference)
lane.wait("mine.gguf", lambda work: work.state in ("failed", "done"), 60)
"""


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path / "models")


@pytest.fixture
def lane(shelf):
    lane = ModelLane(shelf, EMPTY)
    yield lane
    lane.close()


def over(lane, file="mine.gguf"):
    return lane.wait(file, lambda work: work is None or not work.is_busy, SECONDS)


def test_interrupted_three_times_it_arrives_with_the_right_sha256(shelf, hub):
    hub.files[REFERENCE] = DATA
    third = len(DATA) // 3
    command = [sys.executable, "-c", KILLED, str(shelf.folder), hub.url, REFERENCE, str(third)]
    hub.break_after = third // 2  # the line is cut, once, and it goes on by itself
    ended = subprocess.run(command, timeout=SECONDS, check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    killed_at = PartFile(shelf.folder / "mine.gguf").size()
    assert 0 < killed_at < len(DATA)
    assert json.loads((shelf.folder / ORIGINS).read_text()) == {"mine.gguf": REFERENCE}
    lane = ModelLane(shelf, EMPTY)  # the next start
    assert [item.state for item in shelf.items(EMPTY)] == ["begun"]
    hub.break_after = 1000
    lane.go_on("mine.gguf")
    lane.wait("mine.gguf", lambda work: work.step is not None, SECONDS)
    lane.pause("mine.gguf")
    paused = over(lane)
    if paused.state == "paused":  # else it was quicker than we
        lane.go_on("mine.gguf")
    assert over(lane).state == "done"
    lane.close()
    assert sha256((shelf.folder / "mine.gguf").read_bytes()) == sha256(DATA)
    assert len(hub.ranges) >= 3
    assert any(wanted and wanted != "bytes=0-" for wanted in hub.ranges)
    assert json.loads((shelf.folder / ORIGINS).read_text()) == {}


def test_paused_in_the_middle_it_keeps_what_came_and_goes_on_from_there(shelf, lane, hub):
    hub.files[REFERENCE] = DATA
    hub.break_after = len(DATA) // 2
    hub.hold = threading.Event()
    lane.fetch(REFERENCE)
    lane.wait("mine.gguf", lambda work: bool(work.step and work.step.done), SECONDS)
    lane.pause("mine.gguf")
    hub.hold.set()
    assert over(lane).state == "paused"
    kept = PartFile(shelf.folder / "mine.gguf").size()
    assert 0 < kept <= len(DATA) // 2
    lane.fetch(REFERENCE)
    assert over(lane).state == "done"
    assert hub.ranges[-1] == f"bytes={kept}-"


def test_cancelled_it_leaves_nothing(shelf, lane, hub):
    hub.files[REFERENCE] = DATA
    hub.break_after = len(DATA) // 2
    hub.hold = threading.Event()
    lane.fetch(REFERENCE)
    lane.wait("mine.gguf", lambda work: bool(work.step and work.step.done), SECONDS)
    lane.cancel("mine.gguf")
    hub.hold.set()
    assert over(lane) is None
    left = {path.name for path in shelf.folder.iterdir()} - {".mine.gguf.lock"}
    assert left <= {ORIGINS}
    with pytest.raises(NotFound, match="no longer known"):
        lane.go_on("mine.gguf")


def test_what_an_earlier_run_left_can_be_cancelled_too(shelf, lane):
    shelf.folder.mkdir()
    PartFile(shelf.folder / "mine.gguf").append([b"half"])
    with pytest.raises(Conflict):
        lane.refuse_if_fetching("mine.gguf")
    lane.cancel("mine.gguf")
    lane.refuse_if_fetching("mine.gguf")
    assert shelf.items(EMPTY) == []


def test_twice_is_once_and_one_waits_for_the_other(lane, hub):
    hub.files |= {REFERENCE: DATA, "owner/repo/other.gguf": DATA}
    hub.break_after, hub.hold = len(DATA) // 2, threading.Event()
    lane.fetch(REFERENCE)
    lane.wait("mine.gguf", lambda work: bool(work.step and work.step.done), SECONDS)
    lane.fetch(REFERENCE)
    lane.fetch("owner/repo/other.gguf")
    assert [work.state for work in lane.works()] == ["running", "waiting"]
    lane.pause("other.gguf")
    assert lane.of("other.gguf").state == "paused"
    lane.fetch("owner/repo/other.gguf")
    hub.hold.set()
    assert over(lane).state == over(lane, "other.gguf").state == "done"
    lane.dismiss("mine.gguf")
    assert [work.file for work in lane.works()] == ["other.gguf"]


def test_what_fails_says_why_and_can_be_tried_again(lane, hub):
    lane.fetch(REFERENCE)
    failed = over(lane)
    assert failed.state == "failed"
    assert "mine.gguf" in failed.told
    hub.files[REFERENCE] = DATA
    lane.fetch(REFERENCE)
    assert over(lane).told == "It is here, and its sha256 is right."


@pytest.mark.parametrize(
    "name", ["a/b", "owner/repo/file.bin", "../x/y.gguf", "https://x/y/z.gguf"]
)
def test_what_names_no_file_of_the_hub_is_refused_at_once(lane, name):
    with pytest.raises(BadInput):
        lane.fetch(name)
    assert lane.works() == []


def test_a_file_is_checked_and_the_verdict_is_told(shelf, lane, hub):
    hub.files[REFERENCE] = DATA
    lane.fetch(REFERENCE)
    over(lane)
    for change, verdict in (
        (lambda data: data, "right"),
        (lambda data: data[:-1] + b"?", "damaged"),
    ):
        path = shelf.folder / "mine.gguf"
        path.write_bytes(change(path.read_bytes()))
        lane.verify(shelf.item(EMPTY, "mine"))
        assert verdict in over(lane).told


def test_after_the_end_nothing_runs(shelf, hub):
    hub.files[REFERENCE] = DATA
    hub.break_after, hub.hold = len(DATA) // 2, threading.Event()
    lane = ModelLane(shelf, EMPTY)
    lane.fetch(REFERENCE)
    lane.wait("mine.gguf", lambda work: bool(work.step and work.step.done), SECONDS)
    hub.hold.set()
    lane.close()
    lane.close()
    assert lane._thread is None or not lane._thread.is_alive()
    assert 0 < PartFile(shelf.folder / "mine.gguf").size() < len(DATA)
