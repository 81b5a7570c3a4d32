"""What a file says, and where it says it: cleaned text and the places in it.

Pure. All offsets are code points of `Document.text`. Places are sorted by start; places of one
kind never overlap, places of different kinds do (a page lies in a section, or the other way).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

Kind = Literal["page", "slide", "sheet", "rows", "heading", "lines", "columns", "message"]

_COUNTED: Final = ("rows", "lines")
_WORDS: Final[dict[Kind, tuple[str, str]]] = {
    "page": ("p. ", "pp. "),
    "slide": ("slide ", "slides "),
    "sheet": ("sheet ", "sheets "),
    "rows": ("row ", "rows "),
    "heading": ("section ", "sections "),
    "lines": ("line ", "lines "),
    "message": ("message ", "messages "),
}


@dataclass(frozen=True)
class Place:
    """A stretch of the text with the name a reader knows it by.

    `page`, `slide`: label is what is printed ("iv"), number counts from 1 in the file.
    `heading`: a section up to the next heading; number is its depth, 1 the highest.
    `rows`, `lines`: every line of the text in it is one row or line, the first is `number`; the
    label is empty until `Document.within` narrows the place down.
    `columns`: label is the header row that holds for a table.
    """

    start: int
    end: int
    kind: Kind
    label: str
    number: int = 0


@dataclass(frozen=True)
class Document:
    """`notes` are sentences a person should see ("2 of 90 pages could not be read."); `details`
    are facts for the file's page (format, encoding, pages)."""

    text: str
    places: tuple[Place, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()

    def within(self, start: int, end: int) -> tuple[Place, ...]:
        """The places that `text[start:end]` touches, each cut to that span, sorted.

        Cut `rows` and `lines` carry the numbers as their label ("40–55")."""
        found = [
            self._narrowed(place, start, end)
            for places, starts in self._by_kind.values()
            for place in places[max(0, bisect_right(starts, start) - 1) : bisect_left(starts, end)]
            if place.end > start
        ]
        return tuple(sorted(found, key=_order))

    @cached_property
    def _by_kind(self) -> dict[str, tuple[list[Place], list[int]]]:
        kinds: dict[str, tuple[list[Place], list[int]]] = {}
        for place in self.places:
            places, starts = kinds.setdefault(place.kind, ([], []))
            places.append(place)
            starts.append(place.start)
        return kinds

    @cached_property
    def _line_ends(self) -> array[int]:
        ends, at = array("L"), self.text.find("\n")
        while at >= 0:
            ends.append(at)
            at = self.text.find("\n", at + 1)
        return ends

    def _narrowed(self, place: Place, start: int, end: int) -> Place:
        cut = replace(place, start=max(start, place.start), end=min(end, place.end))
        if place.kind not in _COUNTED:
            return cut
        before = bisect_left(self._line_ends, place.start)
        first = place.number + bisect_left(self._line_ends, cut.start) - before
        last = place.number + bisect_left(self._line_ends, max(cut.start, cut.end - 1)) - before
        return replace(cut, label=_span(str(first), str(last)), number=first)


def describe(places: Sequence[Place]) -> str:
    """In a reader's words: `pp. 7–8`, `sheet Orders, rows 40–55`; empty for no place."""
    found = {}
    for kind in get_args(Kind):
        labels = [place.label for place in places if place.kind == kind and place.label]
        if labels and kind in _WORDS:
            found[kind] = _words(kind, labels)
    if found.get("sheet", "").startswith(_WORDS["sheet"][1]):
        found.pop("rows", None)  # rows of which of them?
    return ", ".join(found.values())


def head_above(places: Sequence[Place], text: str) -> str:
    """The header row of the table that `text` comes from, where it does not stand in it: without
    it nobody knows what the cells are."""
    label = next((place.label for place in places if place.kind == "columns"), "")
    return "" if label in " ".join(text.split()) else label


def to_json(document: Document) -> dict[str, Any]:
    return asdict(document)


def from_json(data: Mapping[str, Any]) -> Document:
    """The document that `to_json` wrote. KeyError or TypeError when it is something else."""
    return Document(
        data["text"],
        tuple(Place(**place) for place in data["places"]),
        data["title"],
        tuple(data["notes"]),
        tuple((name, value) for name, value in data["details"]),
    )


def _order(place: Place) -> tuple[int, int, str]:
    return place.start, -place.end, place.kind


def _words(kind: Kind, labels: list[str]) -> str:
    one, several = _WORDS[kind]
    first, last = labels[0], labels[-1]
    if kind in _COUNTED:
        first, last = first.split("–")[0], last.split("–")[-1]
    if kind in ("heading", "sheet", "message") and first != last:
        return f"{several}{first} – {last}"
    return (one if first == last else several) + _span(first, last)


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first}–{last}"
