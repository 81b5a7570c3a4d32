"""What a parser is given, and what it must do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from webapp.documents.document import Document
from webapp.documents.parsing.limits import USUAL, Limits

HEAD_BYTES: Final = 4096

Progress = Callable[[int, int], None]


def _unheard(_done: int, _total: int) -> None:
    """Nobody waits for this file."""


@dataclass(frozen=True)
class Source:
    """A file on the disk. `name` is the one it came with: only its ending means anything here.

    `progress` hears pages, slides or sheets: how many are done, and of how many."""

    path: Path
    name: str
    limits: Limits = USUAL
    progress: Progress = _unheard
    reading_pictures: Progress = _unheard

    @cached_property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @cached_property
    def head(self) -> bytes:
        with self.path.open("rb") as file:
            return file.read(HEAD_BYTES)

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes()


class Parser(Protocol):
    """Runs in the child that reads one file. Unreadable is raised with the reason that a person
    should see; any other exception is taken for a damaged file."""

    @property
    def name(self) -> str:
        """As a reader calls the format."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings that files of this format have, in lower case, with the dot."""

    @property
    def has_signature(self) -> bool:
        """True when no file of this format can be taken for plain text."""

    def recognises(self, source: Source) -> bool:
        """By the bytes; only between kinds of text, which look alike, the name decides."""

    def parse(self, source: Source) -> Document:
        """The text with its places; never a document without visible text."""
