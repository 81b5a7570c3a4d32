"""A zip that is written while it is read: never whole in memory, and nowhere on the disk."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from webapp.moments import moment

_LARGE: Final = 1 << 30  # from here on an entry is written so that it may have 4 GiB and more
_FIRST_YEAR: Final = 1980  # a zip knows no day before it
_LAST_YEAR: Final = 2107


@dataclass(frozen=True)
class Entry:
    """One file of a zip. `at` is its time in milliseconds since 1970; `size` is known in bytes, or
    0 for something small."""

    name: str
    at: float
    pieces: Iterable[bytes]
    size: int = 0


def zipped(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The bytes of a zip with these entries, some at a time."""
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in entries:
            large = entry.size > _LARGE
            with archive.open(_about(entry), "w", force_zip64=large) as file:
                for piece in entry.pieces:
                    file.write(piece)
                    yield outlet.taken()
            yield outlet.taken()
    yield outlet.taken()


class _Outlet:
    """What a zip is written to. It cannot go back, so the zip is made without that."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """There is nothing to let go."""

    def taken(self) -> bytes:
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


def _about(entry: Entry) -> zipfile.ZipInfo:
    when = moment(entry.at)
    about = zipfile.ZipInfo(entry.name)
    if when is not None and _FIRST_YEAR <= when.year <= _LAST_YEAR:
        about.date_time = when.timetuple()[:6]
    about.compress_type = zipfile.ZIP_DEFLATED
    about.external_attr = 0o644 << 16
    return about
