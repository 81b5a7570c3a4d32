"""The list of threads: one look at every folder, parsing only what changed since the last."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from webapp.chat.messages import Thread, is_id
from webapp.errors import Damaged, StorageFailed
from webapp.threads import about, durable
from webapp.threads.folders import ABOUT, LOG
from webapp.threads.store import DamagedThread

_Listed = Thread | DamagedThread


@dataclass(frozen=True, slots=True)
class _Seen:
    """A folder's entry as of one state of its thread.json; `rank` sorts the list."""

    mark: tuple[int, int, int]
    rank: tuple[float, str]
    entry: _Listed


class Roster:
    """Safe to ask from several threads at once: a call reads the old table and sets a new one."""

    def __init__(self, threads: Path) -> None:
        self._threads = threads
        self._seen: dict[str, _Seen] = {}

    def entries(self) -> list[_Listed]:
        """Newest first, ties by id. Raises StorageFailed when there is no list at all."""
        with durable.reading(self._threads):
            names = [entry.name for entry in os.scandir(self._threads) if _is_folder(entry)]
        found = {}
        for name in names:
            seen = self._look(name)
            if seen is not None:
                found[name] = seen
        self._seen = found
        return [seen.entry for seen in sorted(found.values(), key=lambda seen: seen.rank)]

    def _look(self, name: str) -> _Seen | None:
        try:
            stat = os.stat(f"{self._threads}{os.sep}{name}{os.sep}{ABOUT}")  # noqa: PTH116 - a Path costs more than the call
        except OSError:
            return self._without_file(name)
        mark = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        known = self._seen.get(name)
        if known is not None and known.mark == mark:
            return known
        return _seen(mark, self._read(name, stat.st_mtime))

    def _read(self, name: str, changed: float) -> _Listed:
        folder = self._threads / name
        if not is_id(name):
            problem = f"The folder name {name!r} is no thread id. Rename the folder."
            return DamagedThread(name, problem, changed)
        try:
            return about.load(folder)
        except (Damaged, StorageFailed) as error:
            return DamagedThread(name, str(error), changed)

    def _without_file(self, name: str) -> _Seen | None:
        """A thread that lost its thread.json; a folder that never was one is passed over."""
        try:
            log = (self._threads / name / LOG).stat()
        except OSError:
            return None
        return _seen((0, 0, 0), self._read(name, log.st_mtime))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.is_dir()


def _seen(mark: tuple[int, int, int], entry: _Listed) -> _Seen:
    return _Seen(mark, (-entry.updated, entry.id), entry)
