"""Copying what belongs together while it may be written to.

No lock is shared with the program that writes. Its files are replaced whole or appended to, so a
copy is of one moment when nothing changed between two looks; what was written to a moment ago is
waited for. A thread that never rests is copied as a crash would leave it, which it is made for.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from webapp import durable
from webapp.backups.objects import Objects
from webapp.backups.source import Look, Source, look, mark_of
from webapp.backups.states import DATA, PIECE, Entry, Mark
from webapp.errors import StorageFailed
from webapp.threads import log
from webapp.threads.folders import DAMAGED, LOG

_LOGS: Final = {LOG, DAMAGED, "audit.jsonl", "strata.log"}
_TRIES: Final = 6
_PAUSE: Final = 0.1
# Nothing is in the middle of an act that long after its last write.
_AT_REST_NS: Final = 250_000_000
# Clocks of some disks are no finer: a change within that time may not be seen by the mark.
_TOLD_APART_NS: Final = 2_500_000_000
_BLOCK: Final = 1 << 16


class _ChangedError(Exception):
    """A file shrank or went while it was read."""


@dataclass
class Copied:
    """Files of a part, with `data/` before their paths; empty when it is not there any more."""

    files: list[Entry] = field(default_factory=list)
    folders: dict[str, int] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    @property
    def is_gone(self) -> bool:
        return not (self.files or self.folders or self.complaints)


class Copying:
    """Into `objects`. `known` are the entries of the last backup by path; `heard` is told how many
    bytes of a file are done, and may raise."""

    def __init__(
        self,
        objects: Objects,
        known: Mapping[str, Entry],
        heard: Callable[[int], None],
        distrusted: frozenset[str] = frozenset(),
        *,
        wait: Callable[[float], None] = time.sleep,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._objects = objects
        there = objects.sizes()
        self._there = {each: size for each, size in there.items() if each not in distrusted}
        self._known = known
        self._heard = heard
        self._wait = wait
        self._now_ns = now_ns
        self.fresh = 0

    def part(self, root: Path, name: str) -> Copied:
        """Raises StorageFailed for what cannot be read, OSError for what the target refuses."""
        last: Copied | None = None
        for _ in range(_TRIES):
            before = self._looked(root, name)
            if self._is_in_motion(before):
                self._wait(_PAUSE)
            try:
                last = self._copied(before)
            except _ChangedError:
                continue
            if _is_same(before, self._looked(root, name)) and not self._is_in_motion(before):
                return last
        if last is not None:
            return last
        raise StorageFailed(
            f"{root / name} keeps changing, so it could not be read whole.",
            "Try again when nothing is writing to it.",
        )

    def file(self, source: Source, path: str) -> Entry:
        """Any file, with its path in the backup. Raises as `part` does."""
        entry = self._known.get(path)
        if entry and entry.mark == source.mark and self._has(entry):
            self._heard(source.size)
            return entry
        opened = self._open(source)
        with opened as file:
            mark, size, pieces = self._read(file, source)
        rested = self._now_ns() - max(mark[1], mark[2]) > _TOLD_APART_NS
        known = mark if rested and mark == source.mark else None
        return Entry(path, size, source.mode, source.mtime_ns, pieces, known)

    # --- inside ---

    def _looked(self, root: Path, name: str) -> Look:
        with durable.reading(root / name):
            return look(root, name)

    def _copied(self, seen: Look) -> Copied:
        files = [self.file(each, f"{DATA}/{each.path}") for each in seen.files]
        folders = {f"{DATA}/{path}": mode for path, mode in seen.folders.items()}
        return Copied(files, folders, seen.complaints)

    def _is_in_motion(self, seen: Look) -> bool:
        now = self._now_ns()
        return any(abs(now - each.mtime_ns) < _AT_REST_NS for each in seen.files)

    def _has(self, entry: Entry) -> bool:
        return all(self._there.get(digest) == size for digest, size in entry.sizes())

    def _open(self, source: Source) -> BinaryIO:
        with durable.reading(source.place):
            try:
                return source.place.open("rb")
            except FileNotFoundError:
                raise _ChangedError from None

    def _read(self, file: BinaryIO, source: Source) -> tuple[Mark, int, tuple[str, ...]]:
        """The mark of what was read, how many bytes of it, and the pieces."""
        with durable.reading(source.place):
            mark = mark_of(os.fstat(file.fileno()))
            end = whole_lines(file, mark[0]) if source.place.name in _LOGS else mark[0]
            file.seek(0)
        pieces, left = [], end
        while left:
            with durable.reading(source.place):
                data = file.read(min(PIECE, left))
            if len(data) < min(PIECE, left):
                raise _ChangedError
            pieces.append(self._keep(data))
            left -= len(data)
        return mark, end, tuple(pieces)

    def _keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        if self._there.get(digest) != len(data):
            self._objects.put(digest, data)
            self._there[digest] = len(data)
            self.fresh += len(data)
        self._heard(len(data))
        return digest


def whole_lines(file: BinaryIO, size: int) -> int:
    """How much of a log is whole lines. A last line without its end counts when it is a record:
    other programs leave it out."""
    start = size
    while start:
        begin = max(0, start - _BLOCK)
        file.seek(begin)
        found = file.read(start - begin).rfind(b"\n")
        if found >= 0:
            start = begin + found + 1
            break
        start = begin
    file.seek(start)
    return size if start < size and _is_record(file.read(size - start)) else start


def _is_record(line: bytes) -> bool:
    try:
        return log.decode(line) is not None
    except log.UnreadableError:
        return False


def _is_same(before: Look, after: Look) -> bool:
    marks = [{each.path: each.mark for each in seen.files} for seen in (before, after)]
    return marks[0] == marks[1]
