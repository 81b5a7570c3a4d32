"""The list of threads: one look at every folder, parsing only what changed since the last."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from webapp import durable
from webapp.chat.messages import Thread, is_id
from webapp.errors import Damaged, StorageFailed
from webapp.threads import about
from webapp.threads.folders import ABOUT, LOG
from webapp.threads.store import DamagedThread

_END = f"{os.sep}{ABOUT}"

_Listed = Thread | DamagedThread


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A folder's entry as of one state of its thread.json; `rank` sorts the list."""

    mark: tuple[int, int, int]
    rank: tuple[float, str]
    entry: _Listed


@dataclass(frozen=True)
class _Table:
    seen: dict[str, _Seen]
    entries: list[_Listed]


class Roster:
    """Safe to ask from several threads at once: a call reads the old table and sets a new one."""

    def __init__(self, threads: Path) -> None:
        self._threads = threads
        self._start = f"{threads}{os.sep}"
        self._last = _Table({}, [])

    def entries(self) -> list[_Listed]:
        """Newest first, ties by id. Raises StorageFailed when there is no list at all."""
        last = self._last
        found: dict[str, _Seen] = {}
        with durable.reading(self._threads), os.scandir(self._threads) as folders:
            for folder in folders:
                name = folder.name
                seen = None if name[0] == "." else self._look(name, last.seen.get(name))
                if seen is not None:
                    found[name] = seen
        if found != last.seen:
            ranked = sorted(found.values(), key=lambda seen: seen.rank)
            self._last = last = _Table(found, [seen.entry for seen in ranked])
        return list(last.entries)

    def _look(self, name: str, known: _Seen | None) -> _Seen | None:
        try:
            # A Path for each of 10,000 threads would cost more than the rest of the list.
            stat = os.stat(f"{self._start}{name}{_END}")  # noqa: PTH116
        except OSError:
            return self._without_file(name)
        mark = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if known is not None and known.mark == mark:
            return known
        return _seen(mark, self._read(name, stat.st_mtime))

    def _read(self, name: str, changed: float) -> _Listed:
        if not is_id(name):
            problem = f"The folder name {name!r} is not a thread id. Rename the folder."
            return DamagedThread(name, problem, changed)
        try:
            return about.load(self._threads / name)
        except (Damaged, StorageFailed) as error:
            return DamagedThread(name, str(error), changed)

    def _without_file(self, name: str) -> _Seen | None:
        """A thread that lost its thread.json; what never was a thread is passed over."""
        try:
            log = (self._threads / name / LOG).stat()
        except OSError:
            return None
        return _seen((0, 0, 0), self._read(name, log.st_mtime))


def _seen(mark: tuple[int, int, int], entry: _Listed) -> _Seen:
    return _Seen(mark, (-entry.updated, entry.id), entry)
