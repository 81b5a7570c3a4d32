"""A zip from elsewhere. What it says of itself is looked at before anything in it is unpacked, and
what is unpacked is never more than it said."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from webapp import durable
from webapp.errors import BadInput

MOST_ENTRIES: Final = 500_000
# A text of spaces shrinks a thousandfold; what people write shrinks tenfold.
MOST_SHRUNK: Final = 200
ALWAYS_FITS: Final = 64 << 20

_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)


class SafeZip:
    """`names` are those of its files, without folders."""

    def __init__(self, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> None:
        self._archive = archive
        self._entries = entries

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def size(self, name: str) -> int:
        return self._entries[name].file_size

    @contextmanager
    def open(self, name: str) -> Iterator[Entry]:
        """Raises BadInput, as reading it does, for what cannot be unpacked."""
        with _in_words():
            stream = self._archive.open(self._entries[name])
        with stream:
            yield Entry(stream)


class Entry:
    """What an entry is read from."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        with _in_words():
            return self._stream.read(size)


@contextmanager
def opened(path: Path) -> Iterator[SafeZip]:
    """Raises BadInput for a zip that is damaged or meant to do harm."""
    with durable.reading(path), _in_words("This zip is damaged."):
        archive = zipfile.ZipFile(path)
    with archive:
        files = [each for each in archive.infolist() if not each.is_dir()]
        for refuse in (_refuse_names, _refuse_kinds, _refuse_bombs):
            refuse(files)
        _refuse_overlaps(files, path.stat().st_size)
        yield SafeZip(archive, {each.filename: each for each in files})


def is_zip(path: Path) -> bool:
    with durable.reading(path), path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def _refuse_names(files: list[zipfile.ZipInfo]) -> None:
    seen: set[str] = set()
    for each in files:
        name = each.filename
        # What stands behind a NUL is cut off by zipfile: two names may hide in one.
        if name != each.orig_filename.replace("\\", "/") or "\\" in each.orig_filename:
            raise _refused("a file in it has a name that no folder could have")
        if name.startswith("/") or ":" in name[:2] or ".." in name.split("/"):
            raise _refused("a file in it would be put outside the zip's own folder")
        if name in seen:
            raise _refused("two files in it have the same name")
        seen.add(name)


def _refuse_kinds(files: list[zipfile.ZipInfo]) -> None:
    if len(files) > MOST_ENTRIES:
        raise _refused(f"there are {len(files):,} files in it")
    if any(each.flag_bits & _ENCRYPTED for each in files):
        raise BadInput("This zip has a password.", "Unpack it and zip it again without a password.")
    if any(each.compress_type not in _METHODS for each in files):
        raise BadInput(
            "This zip uses an unusual compression.", "Unpack it and make an ordinary zip."
        )


def _refuse_bombs(files: list[zipfile.ZipInfo]) -> None:
    packed = sum(each.compress_size for each in files)
    size = sum(each.file_size for each in files)
    if size > ALWAYS_FITS + MOST_SHRUNK * packed:
        raise _refused(f"{packed:,} bytes in it would become {size:,}")


def _refuse_overlaps(files: list[zipfile.ZipInfo], size: int) -> None:
    """The same bytes under a thousand names are another bomb."""
    end = 0
    for each in sorted(files, key=lambda info: info.header_offset):
        if each.header_offset < end:
            raise _refused("files in it overlap")
        end = each.header_offset + each.compress_size
    if end > size:
        raise BadInput("This zip is damaged.", "Download it again.")


def _refused(why: str) -> BadInput:
    return BadInput(f"This zip is refused: {why}.", "Nothing was imported.")


@contextmanager
def _in_words(what: str = "It is damaged in the zip.") -> Iterator[None]:
    try:
        yield
    except BadInput:
        raise
    except _BROKEN:
        raise BadInput(what, "Download it again.") from None
