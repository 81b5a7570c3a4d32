"""Where a thread's files are."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.chat.messages import is_id
from webapp.errors import NotFound

ABOUT: Final = "thread.json"
LOG: Final = "messages.jsonl"
HISTORY: Final = "history.jsonl"
DAMAGED: Final = "messages.damaged"
TEMPORARY: Final = ".new"
TRASHED: Final = re.compile(r"(\d{1,16})\.([A-Za-z0-9_-]{1,64})")


class Folders:
    """Paths under a data directory. Made once at the start: later a missing folder is a fault,
    not a reason to begin afresh."""

    def __init__(self, root: Path) -> None:
        self.threads = root / "threads"
        self.trash = root / "trash"
        with durable.saving(root):
            self.threads.mkdir(parents=True, exist_ok=True)
            self.trash.mkdir(exist_ok=True)

    def thread(self, thread_id: str) -> Path:
        """The folder of a thread, there or not. Raises NotFound for what is no id."""
        if not is_id(thread_id):
            raise not_found()
        return self.threads / thread_id

    @contextmanager
    def beside(self, folder: Path) -> Iterator[Path]:
        """A place in which to make a thread that is then put there at once; or the folder itself
        if it is there, as that of a thread that lost its thread.json. Raises StorageFailed."""
        if folder.exists():
            yield folder
            return
        new = folder.with_name(f".{folder.name}{TEMPORARY}")
        try:
            with durable.saving(folder):
                shutil.rmtree(new, ignore_errors=True)
                new.mkdir()
            yield new
            durable.move(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)

    def existing(self, thread_id: str) -> Path:
        """Raises NotFound, or StorageFailed when the folder of all threads is gone."""
        folder = self.thread(thread_id)
        with durable.reading(folder):
            if folder.is_dir():
                return folder
            self.threads.stat()
        raise not_found()


def not_found() -> NotFound:
    return NotFound("There is no such thread.", "Choose one from the list; it may be in the trash.")


def holding_threads(root: Path) -> Iterator[tuple[str, Path]]:
    """Every folder with a thread in it, by its name: an id, or `<milliseconds>.<id>` in the
    trash. Raises StorageFailed."""
    for parent, is_name in ((root / "threads", is_id), (root / "trash", TRASHED.fullmatch)):
        yield from ((each.name, each) for each in _with_thread(parent) if is_name(each.name))


def misnamed(root: Path) -> list[Path]:
    """Folders in the list with a thread in them whose names are no ids. Raises StorageFailed."""
    found = _with_thread(root / "threads")
    return [each for each in found if not is_id(each.name) and not _is_temporary(each)]


def half_made(root: Path) -> list[Path]:
    """Folders of threads whose making was cut short. Raises StorageFailed."""
    with durable.reading(root):
        return sorted(filter(_is_temporary, (root / "threads").glob(".*")))


def _is_temporary(folder: Path) -> bool:
    return folder.name[0] == "." and folder.suffix == TEMPORARY


def _with_thread(parent: Path) -> list[Path]:
    with durable.reading(parent):
        folders = sorted(parent.iterdir()) if parent.exists() else []
    return [each for each in folders if (each / ABOUT).exists() or (each / LOG).exists()]


def fresh_place(root: Path, name: str, now: int) -> Path:
    """The name of a folder for old data, which is not there yet: `<name>-<date>-<time>`."""
    moment = datetime.fromtimestamp(now / 1000).strftime("%Y%m%d-%H%M%S")
    place, count = root / f"{name}-{moment}", 1
    while place.exists():
        count += 1
        place = root / f"{name}-{moment}-{count}"
    return place
