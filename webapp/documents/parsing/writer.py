"""Puts a document together, piece by piece, so that text and places agree."""

from __future__ import annotations

from typing import Final

from webapp.documents.document import Document, Kind, Place
from webapp.documents.parsing import refusals
from webapp.documents.parsing.cleaning import clean, has_words, one_line, without_gaps

_LONGEST_LABEL: Final = 200


class Writer:
    """Every piece is cleaned when it comes. A place opened by `begin` starts with the next visible
    text and lasts until the next of its kind or `end`; one that got no text is dropped."""

    def __init__(self, characters: int) -> None:
        self._most = characters
        self._pieces: list[str] = []
        self._length = 0
        self._waiting: dict[Kind, Place] = {}
        self._open: dict[Kind, Place] = {}
        self._places: list[Place] = []
        self._row = 0

    def begin(self, kind: Kind, label: str, number: int = 0) -> None:
        self.end(kind)
        self._waiting[kind] = Place(0, 0, kind, one_line(label)[:_LONGEST_LABEL], number)

    def end(self, kind: Kind) -> None:
        self._waiting.pop(kind, None)
        place = self._open.pop(kind, None)
        if place:
            ended = Place(place.start, self._length, kind, place.label, place.number)
            self._places.append(ended)

    def line(self, text: str) -> None:
        """One line, or several, right below what is there. Nothing visible adds nothing."""
        self._add(without_gaps(clean(text)).strip("\n"), "\n")

    def paragraph(self, text: str) -> None:
        """The same, with an empty line before it."""
        self._add(without_gaps(clean(text)).strip("\n"), "\n\n")

    def heading(self, text: str, depth: int) -> None:
        """A paragraph that also opens a section."""
        label = one_line(text)
        if label:
            self.begin("heading", label, depth)
            self._add(label, "\n\n")

    def row(self, number: int, cells: list[str]) -> None:
        """One line for one row of a table; rows without text leave a gap in the numbers."""
        text = cells_line(cells)
        if not text:
            return
        if number != self._row + 1 or not {"rows"} & (self._open.keys() | self._waiting.keys()):
            self.begin("rows", "", number)
        self._row = number
        self._add(text, "\n")

    def whole_lines(self, text: str) -> None:
        """A text whose line numbers a reader knows: nothing is taken out but the last line ends."""
        text = clean(text).rstrip("\n")
        self.begin("lines", "", 1)
        if has_words(text):
            self._append(text)

    @property
    def length(self) -> int:
        return self._length

    def document(
        self,
        title: str = "",
        *,
        notes: tuple[str, ...] = (),
        details: tuple[tuple[str, str], ...] = (),
    ) -> Document:
        """What was written. Unreadable when there is nothing in it."""
        for kind in [*self._open]:
            self.end(kind)
        text = "".join(self._pieces)
        if not has_words(text):
            raise refusals.no_text()
        places = sorted(self._places, key=lambda place: (place.start, -place.end, place.kind))
        return Document(text, tuple(places), one_line(title)[:_LONGEST_LABEL], notes, details)

    def _add(self, text: str, gap: str) -> None:
        if not has_words(text):
            return
        if self._length:
            self._append_piece(gap)
        self._append(text)

    def _append(self, text: str) -> None:
        for kind, place in self._waiting.items():
            self._open[kind] = Place(self._length, 0, kind, place.label, place.number)
        self._waiting.clear()
        self._append_piece(text)

    def _append_piece(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if self._length > self._most:
            raise refusals.too_much_text(self._most)


def cells_line(cells: list[str]) -> str:
    """The cells of one row in one line: `Kettle | 1 280`."""
    flat = [one_line(cell) for cell in cells]
    while flat and not flat[-1]:
        flat.pop()
    return " | ".join(flat)
