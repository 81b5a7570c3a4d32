"""Zips from elsewhere: honest ones open, others are refused in a sentence."""

import io
import struct
import warnings
import zipfile

import pytest

from webapp.archives import safe_zip
from webapp.archives.safe_zip import is_zip, opened
from webapp.errors import BadInput


@pytest.fixture
def zipped(tmp_path):
    """Makes a zip of names and bytes."""

    def make(*entries, method=zipfile.ZIP_DEFLATED):
        path = tmp_path / "in.zip"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of doubled names
            with zipfile.ZipFile(path, "w", method) as archive:
                for name, data in entries:
                    archive.writestr(name, data)
        return path

    return make


def refused(path, match):
    with pytest.raises(BadInput, match=match) as found, opened(path):
        pass
    assert found.value.do


def test_an_honest_zip_gives_its_files(zipped):
    path = zipped(("a/b.json", b"{}"), ("folder/", b""), ("ü", b"x" * 1000))
    assert is_zip(path)
    with opened(path) as archive:
        assert archive.names == ["a/b.json", "ü"]
        assert archive.size("ü") == 1000
        with archive.open("ü") as stream:
            assert stream.read(10) == b"x" * 10
            assert stream.read(5000) == b"x" * 990


@pytest.mark.parametrize("name", ["../up", "a/../../up", "/etc/passwd", "C:/windows", "a/..", ".."])
def test_a_name_that_leaves_the_zip_is_refused(zipped, name):
    refused(zipped(("fine", b""), (name, b"x")), "outside")


def test_names_that_are_not_what_they_seem_are_refused(zipped):
    path = zipped(("a_b", b"x"), ("c_d", b"y"))
    for old, new in ((b"a_b", b"a\\b"), (b"a_b", b"a\0b")):
        bent = path.with_name("bent.zip")
        bent.write_bytes(path.read_bytes().replace(old, new))
        refused(bent, "a name that no folder could have")


def test_doubled_names_are_refused(zipped):
    refused(zipped(("threads/a.json", b"1"), ("threads/a.json", b"2")), "the same name")


def test_a_bomb_is_refused_before_it_is_unpacked(zipped):
    refused(zipped(("a", b"\0" * (256 << 20))), "would become 268,435,456")
    refused(zipped(*[(f"{n}", b"\0" * (8 << 20)) for n in range(32)]), "would become")


def test_much_that_shrinks_like_text_is_taken(zipped):
    text = b"".join(b"%d words of a long text\n" % number for number in range(200_000))
    with opened(zipped(("a", text * 20))) as archive:
        assert archive.size("a") > 64 << 20


def test_files_that_lie_over_each_other_are_refused(zipped):
    """Each entry of the list names the first one's bytes."""
    path = zipped(*[(f"n{number:02}", b"x" * 5000) for number in range(9)], method=0)
    data = bytearray(path.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<L", data, at + 42, 0)
        at = data.find(b"PK\x01\x02", at + 4)
    path.write_bytes(data)
    refused(path, "overlap")


def test_a_password_and_unusual_packing_are_told(zipped, monkeypatch):
    path = zipped(("a", b"x"))
    locked = bytearray(path.read_bytes())
    locked[locked.find(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(locked)
    refused(path, "password")
    refused(zipped(("a", b"x" * 100), method=zipfile.ZIP_BZIP2), "unusual compression")
    monkeypatch.setattr(safe_zip, "MOST_ENTRIES", 2)
    refused(zipped(*[(str(number), b"") for number in range(3)]), "3 files in it")


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99])
def test_half_a_zip_is_told(zipped, keep):
    path = zipped(*[(str(number), b"words" * 99) for number in range(9)])
    path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
    refused(path, "damaged")


def test_a_damaged_file_in_it_is_told_when_it_is_read(zipped):
    path = zipped(("a", bytes(range(256)) * 40), ("b", b"fine"))
    data = bytearray(path.read_bytes())
    for at in range(60, 200):
        data[at] ^= 0xFF
    path.write_bytes(data)
    with opened(path) as archive:
        with pytest.raises(BadInput, match="damaged"), archive.open("a") as stream:
            while stream.read(1000):
                pass
        with archive.open("b") as stream:
            assert stream.read(10) == b"fine"


def test_rubbish_is_no_zip(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"PK\x03\x04 and nothing more")
    refused(path, "damaged")
    path.write_bytes(io.BytesIO(b"[]").read())
    assert not is_zip(path)
