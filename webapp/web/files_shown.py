"""Files in words: where each stands, how it is used, and what a search found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webapp.documents.board import FileState, Stage
from webapp.documents.document import describe
from webapp.documents.parsing.limits import MB
from webapp.documents.passages import Passage

USES: Final = (
    ("auto", "Whole with the question when it fits, else the passages that answer it"),
    ("inline", "Always whole, with the question"),
    ("embeddings", "Only the passages that answer the question"),
)
_STAGES: Final[dict[Stage, str]] = {
    "uploading": "Storing",
    "waiting": "Waiting for its turn",
    "reading": "Reading",
    "pictures": "Reading pictures",
    "cutting": "Cutting into passages",
    "embedding": "Embedding",
    "ready": "Ready",
    "rejected": "Cannot be used",
    "stopped": "Stopped",
    "damaged": "Damaged",
}
_PARTS: Final = {"pptx": "slide", "xlsx": "sheet", "xls": "sheet", "ods": "sheet"}
_COUNTED: Final = ("pages", "slides", "sheets")


@dataclass(frozen=True)
class FilesShown:
    """The files of one thread or project as a page shows them, at the address `at`. `whole` are
    those whose text stands in a question of the path that is shown; `trouble` says why there is
    no list; `can_change` is for who looks; `asked_ms` is when something was asked last."""

    at: str
    files: tuple[FileState, ...] = ()
    whole: frozenset[str] = frozenset()
    trouble: str = ""
    is_project: bool = False
    can_change: bool = False
    asked_ms: int = 0

    @property
    def beside(self) -> tuple[FileState, ...]:
        """Those that stand above the next question: in work, or come since the last one."""
        return tuple(
            each for each in self.files if not each.is_over or each.facts.added_ms > self.asked_ms
        )

    @property
    def busy(self) -> bool:
        return any(not each.is_over for each in self.files)

    @property
    def summary(self) -> str:
        """One sentence once nothing is being done; empty before, and without files."""
        if self.busy or not self.files:
            return ""
        ready = sum(each.is_ready for each in self.files)
        others = len(self.files) - ready
        said = f"{_files(ready)} ready" if ready else ""
        left = f"{_files(others)} cannot be searched" if others else ""
        return f"{', '.join(filter(None, (said, left)))}."

    def used(self, file: FileState) -> str:
        """How the model gets to know it."""
        if not file.is_ready:
            return ""
        return "Sent whole, with its question" if file.id in self.whole else "Searched"


@dataclass(frozen=True)
class PassageShown:
    """`is_sent` when the model would get it with this question."""

    passage: Passage
    is_sent: bool

    @property
    def place(self) -> str:
        return describe(self.passage.places)

    @property
    def percent(self) -> int:
        """Its score, 0 to 100, for a bar."""
        return round(100 * min(max(0.0, self.passage.score), 1.0))


@dataclass(frozen=True)
class FoundShown:
    """What a search of the files at an address found, best first, and the score that counts as
    an answer. With a `file_id` it was in that file only."""

    at: str
    question: str = ""
    passages: Sequence[PassageShown] = ()
    notes: Sequence[str] = ()
    threshold: float = 0.0
    searched: bool = False
    file_id: str = ""


def doing(file: FileState) -> str:
    """Where it stands: `Reading page 12 of 300`, `Embedding 120 of 560`, `Ready`."""
    words = _STAGES[file.stage]
    if file.is_over or not file.total:
        return words
    if file.stage == "uploading":
        return f"{words} {_megabytes(file.done)} of {_megabytes(file.total)}"
    done, total = f"{file.done:,}", f"{file.total:,}"
    if file.stage in ("reading", "pictures"):
        current = f"{min(file.done + 1, file.total):,}"
        part = "picture" if file.stage == "pictures" else part_of(file.name)
        return f"Reading {part} {current} of {total}"
    return f"{words} {done} of {total}"


def size_words(size: int) -> str:
    """`812 bytes`, `64 KB`, `1.2 MB`."""
    if size < 1000:
        return "1 byte" if size == 1 else f"{size} bytes"
    return f"{round(size / 1000):,} KB" if size < 999_500 else _megabytes(size)


def kind_of(file: FileState) -> str:
    """Its format, as the parser says; before it was read, its ending."""
    ending = file.name.rpartition(".")[2] if "." in file.name[1:-1] else ""
    return dict(file.facts.details).get("format", "") or ending.upper()[:8]


def facts_of(file: FileState) -> list[str]:
    """What is known of it, in a few words each: type, size, pages, passages."""
    facts = file.facts
    details = dict(facts.details)
    pages = next((_counted(details[each], each) for each in _COUNTED if each in details), "")
    chunks = _counted(str(facts.chunks), "passages") if facts.chunks and file.is_ready else ""
    size = size_words(facts.size) if facts.size else ""
    return [each for each in (kind_of(file), size, pages, chunks) if each]


def part_of(name: str) -> str:
    """What a file of that name is read in."""
    return _PARTS.get(name.rpartition(".")[2].lower(), "page")


def _counted(number: str, things: str) -> str:
    shown = f"{int(number):,}" if number.isdecimal() and len(number) < 12 else number
    return f"{shown} {things.removesuffix('s') if number == '1' else things}"


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


def _megabytes(size: int) -> str:
    return f"{size / MB:.1f} MB"
