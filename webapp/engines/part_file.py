"""A download that is not whole yet: `<file>.part` beside where the file will stand.

The part always holds the file's beginning, in order, so any source can go on from it. Sources that
come in pieces write down, after each, how many pieces stand and how many bytes those are: after a
kill the torn piece is cut off and only that one is fetched again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class PartFile:
    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + ".part")
        self._journal = target.with_name(target.name + ".part.json")

    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, chunks: Iterable[bytes]) -> None:
        """On the disk when it returns."""
        with self.path.open("ab") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())

    def cut(self, size: int) -> None:
        """Drop everything after `size`, or everything when less than that is there."""
        if self.size() < size:
            size = 0
        with self.path.open("ab") as file:
            file.truncate(size)

    def pieces(self, source: str) -> int:
        """How many pieces of `source` stand whole; what comes after them is cut off."""
        known = self._read_journal()
        stand = known.get("pieces", 0) if known.get("source") == source else 0
        size = known.get("bytes", 0) if stand else 0
        if not isinstance(stand, int) or not isinstance(size, int) or self.size() < size:
            stand = size = 0
        self.cut(size)
        return stand

    def piece_done(self, source: str, pieces: int) -> None:
        """Call after `append` of a piece: all bytes so far are `pieces` whole pieces."""
        record = {"source": source, "pieces": pieces, "bytes": self.size()}
        beside = self._journal.with_name(self._journal.name + ".new")
        beside.write_text(json.dumps(record), encoding="utf-8")
        beside.replace(self._journal)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._journal.unlink(missing_ok=True)

    def become_whole(self) -> None:
        """Move the part to its place in one step; it must have been checked before."""
        self.path.replace(self.target)
        self._journal.unlink(missing_ok=True)
        sync_folder(self.target.parent)

    def _read_journal(self) -> dict[str, object]:
        try:
            known = json.loads(self._journal.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}


def sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system can."""
    with suppress(OSError):  # Windows cannot open folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
