"""A document on its way between two programs: lines of JSON, each of bounded length.

{"kind": "text", "text"} and {"kind": "places", "places"} as often as needed, then
{"kind": "end", "title", "notes", "details"}; or {"kind": "unreadable", "code", "what", "do"}.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any, Final

from webapp.documents.document import Document, Place
from webapp.documents.parsing import refusals
from webapp.errors import Unreadable

Line = dict[str, Any]

_TEXT_A_LINE: Final = 1 << 16
_PLACES_A_LINE: Final = 500
_MOST_PLACES: Final = 2_000_000


def lines_of(document: Document) -> Iterator[Line]:
    for at in range(0, len(document.text), _TEXT_A_LINE):
        yield {"kind": "text", "text": document.text[at : at + _TEXT_A_LINE]}
    for at in range(0, len(document.places), _PLACES_A_LINE):
        places = document.places[at : at + _PLACES_A_LINE]
        yield {"kind": "places", "places": [astuple(place) for place in places]}
    yield {
        "kind": "end",
        "title": document.title,
        "notes": document.notes,
        "details": document.details,
    }


def refusal_line(fault: Unreadable) -> Line:
    return {"kind": "unreadable", "code": fault.code, "what": fault.what, "do": fault.do}


class Assembly:
    """Puts the lines together again. KeyError, TypeError or ValueError for lines of another kind,
    Unreadable for more than `characters` of text and for what the other side refused."""

    def __init__(self, characters: int) -> None:
        self._most = characters
        self._length = 0
        self._text: list[str] = []
        self._places: list[Place] = []

    def add(self, line: Line) -> Document | None:
        """The document, once the last line is in."""
        kind = line["kind"]
        if kind == "unreadable":
            raise Unreadable(str(line["what"]), str(line["do"]), str(line["code"]))
        if kind == "end":
            return self._whole(line)
        if kind == "text":
            self._add_text(line["text"])
        elif kind == "places" and len(self._places) < _MOST_PLACES:
            self._places += [Place(*place) for place in line["places"]]
        else:
            raise ValueError(kind)
        return None

    def _add_text(self, piece: str) -> None:
        self._length += len(piece)
        if self._length > self._most:
            raise refusals.too_much_text(self._most)
        self._text.append(piece)

    def _whole(self, line: Line) -> Document:
        details = tuple((str(name), str(value)) for name, value in line["details"])
        notes = tuple(str(note) for note in line["notes"])
        text = "".join(self._text)
        return Document(text, tuple(self._places), str(line["title"]), notes, details)
