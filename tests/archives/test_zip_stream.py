"""A zip comes in pieces and is a zip that others read."""

import io
import zipfile

from webapp.archives.zip_stream import Entry, zipped

MOMENT = 1_767_225_600_000


def test_what_was_put_in_comes_out():
    whole = b"".join(
        zipped([Entry("a.txt", MOMENT, [b"one ", b"two"]), Entry("ü/b", 0, []), Entry("c", -5, [])])
    )
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["a.txt", "ü/b", "c"]
        assert archive.read("a.txt") == b"one two"
        assert archive.getinfo("a.txt").date_time[0] in (2025, 2026)
        assert archive.getinfo("ü/b").date_time[0] == 1980


def test_nothing_is_held_but_what_is_under_way():
    """64 MB go through; what waits at any moment is far less, and so is the largest piece."""
    made = 0

    def noise():
        nonlocal made
        for number in range(1024):
            made += 1
            yield number.to_bytes(2, "big") * (1 << 15)

    largest, seen = 0, []
    for piece in zipped([Entry("big", MOMENT, noise(), 1 << 26)]):
        largest = max(largest, len(piece))
        seen.append(made)
    assert largest < 1 << 20
    assert seen[10] < 20


def test_an_entry_of_many_gigabytes_is_announced_as_one():
    whole = b"".join(zipped([Entry("big", MOMENT, [b"x"], 1 << 33)]))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert archive.read("big") == b"x"
        assert archive.getinfo("big").extract_version >= 45
