"""What of a data directory is backed up, and what of it belongs together.

Left out is what can be made again (`cache/`, and `lance/`: the passages of files follow from their
texts), what holds for this process or for signed-in browsers only, and what is half written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from webapp.backups.note import FILE as NOTE
from webapp.backups.states import Mark
from webapp.documents.files import GONE, NEW
from webapp.threads.database import FILE as DATABASE
from webapp.threads.folders import ABOUT, DAMAGED, HISTORY, LOG, TEMPORARY
from webapp.threads.instance import FILE as LOCK
from webapp.threads.migration import STAGING
from webapp.threads.trash import GOING

# Each thread and project is copied for itself; whatever else lies beside these, too.
_OF_MANY: Final = ("threads", "trash", "projects")
_LEFT_OUT: Final = {
    *("cache", "lance", LOCK, NOTE, STAGING, "people/sessions.json"),
    *(f"{DATABASE}{end}" for end in ("-wal", "-shm", "-journal")),
}
# A thread's own fields point into its log, its log into its files: what points is read first.
_ORDER: Final = {name: place for place, name in enumerate((ABOUT, LOG, HISTORY, DAMAGED))}


@dataclass(frozen=True)
class Source:
    """A file as it was seen."""

    path: str
    place: Path
    mark: Mark
    mode: int

    @property
    def size(self) -> int:
        return self.mark[0]

    @property
    def mtime_ns(self) -> int:
        return self.mark[1]


@dataclass
class Look:
    """What belongs together, at one moment: files in the order in which to read them, modes of
    folders, and sentences about what is left out."""

    files: list[Source] = field(default_factory=list)
    folders: dict[str, int] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)


def parts(root: Path) -> list[str]:
    """Paths of what belongs together, below `root`. Raises OSError, also when a link to all threads
    leads nowhere: that is a disk which is not connected."""
    found = [each for each in _names(root, "") if each not in _OF_MANY]
    for parent in _OF_MANY:
        if (root / parent).is_symlink() or (root / parent).is_dir():
            found += _names(root / parent, f"{parent}/")
    return found


def look(root: Path, part: str) -> Look:
    """Empty when it is not there any more. Raises OSError."""
    found = Look()
    try:
        _look(root / part, part, found, ())
    except FileNotFoundError:
        return Look()
    found.files.sort(key=lambda each: (_ORDER.get(each.place.name, len(_ORDER)), each.path))
    return found


def mark_of(found: os.stat_result) -> Mark:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _names(folder: Path, before: str) -> list[str]:
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if not _is_left_out(entry, before))
    return [before + name for name in names]


def _look(place: Path, path: str, found: Look, above: tuple[tuple[int, int], ...]) -> None:
    try:
        seen = place.stat()
    except FileNotFoundError:
        if not place.is_symlink():
            raise
        found.complaints.append(f"{path} leads to a place that does not exist; it was left out.")
        return
    if stat.S_ISDIR(seen.st_mode):
        key = (seen.st_dev, seen.st_ino)
        if key in above:
            found.complaints.append(
                f"{path} leads back to a folder that it is in; it was left out."
            )
            return
        found.folders[path] = stat.S_IMODE(seen.st_mode) & 0o777
        for name in _names(place, f"{path}/"):
            with suppress(FileNotFoundError):  # gone since it was listed
                _look(place / name[len(path) + 1 :], name, found, (*above, key))
    elif stat.S_ISREG(seen.st_mode):
        found.files.append(Source(path, place, mark_of(seen), stat.S_IMODE(seen.st_mode) & 0o777))
    else:
        found.complaints.append(f"{path} is neither a file nor a folder; it was left out.")


def _is_left_out(entry: os.DirEntry[str], before: str) -> bool:
    if before + entry.name in _LEFT_OUT:
        return True
    if not entry.is_dir():
        return entry.name.endswith(TEMPORARY)
    hidden = entry.name.startswith(".") and entry.name.endswith(TEMPORARY)
    return hidden or entry.name.startswith((NEW, GONE, GOING))


def parents(root: Path) -> dict[str, int]:
    """Modes of the folders that hold what is copied for itself, and of `root` as the empty path.
    Raises OSError."""
    places = {"": root, **{name: root / name for name in _OF_MANY}}
    return {
        path: stat.S_IMODE(place.stat().st_mode) & 0o777
        for path, place in places.items()
        if place.is_dir()
    }


def models(folder: Path) -> Iterator[Source]:
    """Whole models and what is known of each. Raises OSError."""
    for place in sorted(folder.glob("*.gguf")):
        for each in (place, place.with_name(f"{place.name}.json")):
            if each.is_file():
                seen = each.stat()
                yield Source(each.name, each, mark_of(seen), stat.S_IMODE(seen.st_mode) & 0o777)
