"""A folder on this machine, looked at as a zip is: names with slashes, and what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webapp.documents.files import Stream
from webapp.errors import BadInput


class FolderEntries:
    """Of the files two folders deep. What cannot be read is told of that file alone."""

    def __init__(self, folder: Path, *kinds: str) -> None:
        """`kinds` are the folders in it that count. Raises BadInput for one that cannot be
        listed."""
        self._folder = folder
        with _in_words(f"{folder} cannot be read."):
            self.names = sorted(name for kind in kinds for name in _names(folder, kind))

    def size(self, name: str) -> int:
        with _in_words("It cannot be read."):
            return (self._folder / name).stat().st_size

    @contextmanager
    def open(self, name: str) -> Iterator[Stream]:
        with _in_words("It cannot be read."), (self._folder / name).open("rb") as stream:
            yield stream


def _names(folder: Path, kind: str) -> Iterator[str]:
    place = folder / kind
    for each in place.iterdir() if place.is_dir() else ():
        inside = [each] if each.is_file() else _inside(each)
        yield from (file.relative_to(folder).as_posix() for file in inside)


def _inside(folder: Path) -> list[Path]:
    """Files that are there, also those that cannot be looked at."""
    try:
        return list(folder.iterdir())
    except OSError:
        return [folder / "thread.json"]


@contextmanager
def _in_words(what: str) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise BadInput(what, "Look who may read it.") from None
