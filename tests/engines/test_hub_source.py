"""Downloads from the model hub, against a hub on this machine."""

import threading

import pytest
from huggingface_hub import constants

from tests.engines.fake_hub import hub
from tests.engines.wheelhouse import sha256
from webapp.engines.catalog import HubSource
from webapp.engines.hub_source import download, look_up
from webapp.engines.part_file import PartFile
from webapp.engines.progress import Meter, Stopped, silent
from webapp.engines.sources import Job, SourceFailed

__all__ = ["hub"]
DATA = bytes(range(256)) * 20_000
SOURCE = HubSource("owner/repo", "sub/model.gguf")


@pytest.fixture
def cancel():
    return threading.Event()


@pytest.fixture
def job(tmp_path, cancel):
    part = PartFile(tmp_path / "model.gguf")
    return Job(part, len(DATA), sha256(DATA), Meter(silent, "Model", cancel))


@pytest.fixture
def stocked(hub):
    hub.files["owner/repo/sub/model.gguf"] = DATA
    return hub


def test_a_file_comes_whole(stocked, job):
    download(SOURCE, job)
    assert job.part.path.read_bytes() == DATA


def test_the_hub_tells_size_and_sha256(stocked, job):
    about = look_up(SOURCE, job.meter)
    assert (about.size, about.sha256) == (len(DATA), sha256(DATA))


def test_a_download_goes_on_at_the_byte_where_it_stopped(stocked, job):
    job.part.append([DATA[:1_000_001]])
    download(SOURCE, job)
    assert job.part.path.read_bytes() == DATA
    assert stocked.ranges == ["bytes=1000001-"]


def test_a_connection_that_breaks_is_taken_up_again(stocked, job):
    stocked.break_after = 3_000_000
    download(SOURCE, job)
    assert job.part.path.read_bytes() == DATA
    assert len(stocked.ranges) == 2


def test_a_hub_that_ignores_ranges_sends_all_again(stocked, job):
    stocked.honours_ranges = False
    job.part.append([DATA[:1000]])
    download(SOURCE, job)
    assert job.part.path.read_bytes() == DATA


def test_another_version_of_the_file_is_not_even_downloaded(stocked, job):
    stocked.claimed["owner/repo/sub/model.gguf"] = "0" * 64
    with pytest.raises(SourceFailed, match="another version"):
        download(SOURCE, job)
    assert stocked.ranges == []


def test_a_file_that_is_not_there_is_said(hub, job):
    with pytest.raises(SourceFailed, match="404"):
        download(SOURCE, job)


def test_a_hub_out_of_reach_is_said_at_once(monkeypatch, job):
    template = "http://127.0.0.1:9/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with pytest.raises(SourceFailed, match="cannot be reached"):
        download(SOURCE, job)


def test_offline_is_respected(stocked, monkeypatch, job):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(SourceFailed, match="HF_HUB_OFFLINE"):
        download(SOURCE, job)


def test_a_stopped_download_keeps_what_came(stocked, tmp_path, cancel):
    def stop_at_once(step):
        if step.stage == "downloading":
            cancel.set()

    part = PartFile(tmp_path / "model.gguf")
    job = Job(part, len(DATA), sha256(DATA), Meter(stop_at_once, "Model", cancel))
    with pytest.raises(Stopped, match="was stopped"):
        download(SOURCE, job)
    assert 0 < part.size() < len(DATA)
    assert DATA.startswith(part.path.read_bytes())
