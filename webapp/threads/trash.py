"""Deleted threads: whole folders, moved aside. A folder's name holds when and which:
`<milliseconds>.<thread id>`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.errors import Conflict, StorageFailed
from webapp.threads import about
from webapp.threads.folders import ABOUT, TRASHED, Folders, not_found
from webapp.threads.store import TrashedThread

GOING: Final = ".going."


class Trash:
    """The caller holds the thread's lock around `put_in` and `take_out`."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders

    def put_in(self, thread_id: str, now: int) -> None:
        folder = self._folders.existing(thread_id)
        place = self._folders.trash / f"{now}.{thread_id}"
        while place.exists():
            now += 1
            place = self._folders.trash / f"{now}.{thread_id}"
        durable.move(folder, place)

    def take_out(self, thread_id: str) -> None:
        """The newest of that id. Raises NotFound, or Conflict when the id is in use again."""
        newest = next((found for found in self.entries() if found.id == thread_id), None)
        if newest is None:
            raise not_found()
        place = self._folders.thread(thread_id)
        if place.exists():
            raise id_in_use()
        durable.move(self._folders.trash / f"{newest.deleted_at}.{thread_id}", place)

    def entries(self) -> list[TrashedThread]:
        """Newest first."""
        found = [_entry(*each) for each in self._folders_in()]
        return sorted(found, key=lambda thread: (-thread.deleted_at, thread.id))

    def empty(self, older_than_ms: int | None, whose: Callable[[str], bool] | None = None) -> int:
        """Renamed before it is taken apart, so that half a thread can never be restored."""
        going = [
            (folder, folder.with_name(GOING + folder.name))
            for folder, thread_id, deleted_at in self._folders_in()
            if (older_than_ms is None or deleted_at < older_than_ms)
            and (whose is None or whose(_entry(folder, thread_id, deleted_at).owner))
        ]
        durable.move_all(going)
        take_apart(self._folders.trash)
        return len(going)

    def _folders_in(self) -> Iterator[tuple[Path, str, int]]:
        with durable.reading(self._folders.trash):
            folders = list(self._folders.trash.iterdir())
        for folder in folders:
            name = TRASHED.fullmatch(folder.name)
            if name is not None and folder.is_dir():
                yield folder, name[2], int(name[1])


def _entry(folder: Path, thread_id: str, deleted_at: int) -> TrashedThread:
    try:
        data = (folder / ABOUT).read_bytes()
    except OSError:
        data = b""
    return about.trashed(thread_id, data, deleted_at)


def take_apart(trash: Path) -> None:
    """Remove what is on its way out, also what a crash left over. Raises StorageFailed."""
    for folder in trash.glob(GOING + "*"):
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise not_removed(error) from error


def not_removed(error: Exception) -> StorageFailed:
    """The threads are gone from the trash, and something of them is still on the disk."""
    return StorageFailed(
        f"The trash was emptied, but not all of it could be removed from the disk: {error}.",
        "Check the disk, then empty the trash again.",
    )


def id_in_use() -> Conflict:
    """Why a thread cannot come back yet."""
    return Conflict(
        "A thread with the same id is in the list.", "Delete that one first, then restore."
    )
