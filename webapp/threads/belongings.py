"""The files of threads that are kept in a database: they follow their thread into the trash, back,
and out. In the list they are in `threads/<id>/files`, in the trash in `trash/<ms>.<id>/files`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.errors import StorageFailed
from webapp.threads.folders import TRASHED
from webapp.threads.trash import GOING, take_apart

FILES: Final = "files"

_Names = tuple[Path, Path]


class Belongings:
    """Threads go by their keys in the database: an id, or `<ms>.<id>` in the trash."""

    def __init__(self, root: Path) -> None:
        self._threads = root / "threads"
        self._trash = root / "trash"

    @contextmanager
    def following(self) -> Iterator[Callable[[str, str], None]]:
        """To be held around a transaction that gives threads other keys. What is yielded moves
        the files of the first key to the second; when the transaction fails, they move back."""
        moved: list[_Names] = []

        def follow(key: str, new_key: str) -> None:
            self._move([(self._place(key), self._place(new_key))], moved)

        with self._or_back(moved):
            yield follow

    @contextmanager
    def leaving(self) -> Iterator[Callable[[Sequence[str]], None]]:
        """The same around a transaction that removes threads from the trash: their files are put
        where nobody finds them. `take_apart` removes them then."""
        moved: list[_Names] = []

        def leave(keys: Sequence[str]) -> None:
            self._move([(self._place(key), self._trash / f"{GOING}{key}") for key in keys], moved)

        with self._or_back(moved):
            yield leave

    def take_apart(self) -> None:
        """Raises StorageFailed."""
        take_apart(self._trash)

    def settle(self, keys: Sequence[str]) -> None:
        """A crash came between files and database, which has these keys: the database is right.
        Raises StorageFailed."""
        known = set(keys)
        found: list[_Names] = []
        for key in sorted(known):
            name = TRASHED.fullmatch(key)
            if name and name[2] not in known:
                found.append((self._place(name[2]), self._place(key)))
            found.append((self._trash / f"{GOING}{key}", self._place(key)))
        for folder in sorted(self._trash.glob(f"*/{FILES}")):
            name = TRASHED.fullmatch(folder.parent.name)
            if name and name[0] not in known and name[2] in known:
                found.append((folder, self._place(name[2])))
        self._move([pair for pair in found if not pair[1].exists()], [])

    def _place(self, key: str) -> Path:
        return (self._trash if TRASHED.fullmatch(key) else self._threads) / key / FILES

    def _move(self, names: Sequence[_Names], moved: list[_Names]) -> None:
        there = [(source, target) for source, target in names if source.exists()]
        for _, target in there:
            with durable.saving(target, "Nothing was moved"):
                target.parent.mkdir(parents=True, exist_ok=True)
        durable.move_all(there)
        moved += there
        _remove_empty(there)

    @contextmanager
    def _or_back(self, moved: list[_Names]) -> Iterator[None]:
        try:
            yield
        except BaseException:
            back = [(target, source) for source, target in reversed(moved)]
            with suppress(StorageFailed):
                self._move(back, [])
            raise


def _remove_empty(moved: Sequence[_Names]) -> None:
    for source, _ in moved:
        with suppress(OSError):
            source.parent.rmdir()
