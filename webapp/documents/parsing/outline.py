"""The outline of a book as sections of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from webapp.documents.document import Document, Place
from webapp.documents.parsing.cleaning import one_line

_LONGEST_LABEL: Final = 200


@dataclass(frozen=True)
class Entry:
    """`page` counts from 1, `depth` too."""

    title: str
    page: int
    depth: int


def with_sections(document: Document, entries: Sequence[Entry]) -> Document:
    """Each entry becomes a section from where its title stands on its page (else from the top of
    the page) to the start of the next. Entries that lead nowhere are left out."""
    pages = {place.number: place for place in document.places if place.kind == "page"}
    found: dict[int, tuple[str, int]] = {}
    for entry in entries:
        label = one_line(entry.title)[:_LONGEST_LABEL]
        page = pages.get(entry.page)
        if label and page:
            found[_start(document.text, page, label)] = (label, entry.depth)
    starts = sorted(found)
    ends = [*starts[1:], len(document.text)]
    sections = [
        Place(start, end, "heading", *found[start])
        for start, end in zip(starts, ends, strict=False)
    ]
    places = sorted(
        [*document.places, *sections], key=lambda place: (place.start, -place.end, place.kind)
    )
    return replace(document, places=tuple(places))


def _start(text: str, page: Place, title: str) -> int:
    words = r"\s+".join(re.escape(word) for word in title.split())
    found = re.compile(words, re.IGNORECASE).search(text, page.start, page.end)
    return found.start() if found else page.start
