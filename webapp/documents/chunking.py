"""A document cut into passages of a limited length that overlap a little.

Pure. Lengths and offsets are code points of the document's text: `text[chunk.start:chunk.end]` is
`chunk.text`, always. Passages in which nothing can be seen are left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal, get_args

from webapp.documents.boundaries import (
    after_last_ink,
    first_ink,
    is_visible,
    passage_end,
    passage_start,
)
from webapp.documents.document import Document, Place
from webapp.errors import BadSetting

Cut = Literal["structure", "plain"]

_SIZES: Final = (64, 8192)
_OVERLAPS: Final = (0, 1024)
_APART: Final = ("heading", "slide", "sheet", "message")
_CONTEXT: Final = 160


@dataclass(frozen=True)
class Chunking:
    """How to cut: characters in a passage at most, characters that two share at most.

    `structure` minds sentences, sections, rows and whole characters; `plain` are bare windows."""

    size: int = 512
    overlap: int = 64
    cut: Cut = "structure"

    def __post_init__(self) -> None:
        if self.size < 1 or self.overlap < 0:
            raise BadSetting(
                f"Passages of {self.size} characters that share {self.overlap} cannot be cut.",
                do="Choose at least 1 character, and 0 or more shared.",
            )


@dataclass(frozen=True)
class Chunk:
    """One passage; `order` counts from 0 in its file. `context` is what a reader of the whole
    document knows at this point: the section's title, a table's header row."""

    order: int
    start: int
    end: int
    text: str
    places: tuple[Place, ...] = ()
    context: str = ""

    @property
    def searched(self) -> str:
        """What is embedded and indexed."""
        return f"{self.context}\n{self.text}" if self.context else self.text


def chunking_from(settings: Mapping[str, Any]) -> Chunking:
    """From `chunk_size_chars`, `overlap_chars` and `chunk_cut`; where one is not set, from
    the older `chunk_size_tokens` and `overlap_tokens`, which always meant characters too.

    Zero is a real overlap. BadSetting for what is out of range."""
    size = _first(settings, ("chunk_size_chars", "chunk_size_tokens"), Chunking.size)
    overlap = _first(settings, ("overlap_chars", "overlap_tokens"), Chunking.overlap)
    cut = settings.get("chunk_cut") or Chunking.cut
    if cut not in get_args(Cut):
        raise BadSetting(f"chunk_cut cannot be {cut!r}.", do="Choose structure or plain.")
    return Chunking(
        _within("chunk size", size, _SIZES), _within("overlap", overlap, _OVERLAPS), cut
    )


def chunks(document: Document, chunking: Chunking | None = None) -> Iterator[Chunk]:
    """The passages in their order, made one by one: there may be very many."""
    chunking = chunking or Chunking()
    cut = plain_spans if chunking.cut == "plain" else structure_spans
    order = 0
    for start, end in cut(document, chunking):
        text = document.text[start:end]
        if is_visible(text):
            places = document.within(start, end)
            yield Chunk(order, start, end, text, places, _context(places, text))
            order += 1


def plain_spans(document: Document, chunking: Chunking) -> Iterator[tuple[int, int]]:
    """Windows that begin `size - overlap` characters apart, or 1 where that is none; the last one
    is the first that reaches the end."""
    length, step = len(document.text), max(1, chunking.size - chunking.overlap)
    for start in range(0, length, step):
        end = min(start + chunking.size, length)
        yield start, end
        if end == length:
            return


def structure_spans(document: Document, chunking: Chunking) -> Iterator[tuple[int, int]]:
    """Passages that end with a sentence or line where one ends in their second half, and never
    reach over a slide, a sheet, a mail, or a section that is long enough to stand alone."""
    rows = _Rows(document.places)
    for start, end in _stretches(document, chunking.size):
        yield from _cut(document.text, start, end, chunking, rows)


def _cut(
    text: str, start: int, stop: int, chunking: Chunking, rows: _Rows
) -> Iterator[tuple[int, int]]:
    # More than half of a passage is new, however much is to be shared: so it always goes on.
    overlap = min(chunking.overlap, max(0, chunking.size // 2 - 1))
    start = first_ink(text, start, stop)
    while start < stop:
        limit = start + chunking.size
        if limit >= stop:
            yield start, after_last_ink(text, start, stop)
            return
        end = passage_end(text, start, limit, by_lines=rows.at(limit))
        inked = after_last_ink(text, start, end)
        yield start, inked
        if (fresh := first_ink(text, end, stop)) == stop:
            return
        earliest = max(start + 1, inked - overlap)
        back = passage_start(text, earliest, inked, start, by_lines=rows.at(inked - 1))
        start = back if back < inked and fresh - back < chunking.size // 2 else fresh


class _Rows:
    """Where the text is the rows of a table."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._spans = [(place.start, place.end) for place in places if place.kind == "rows"]
        self._starts = [start for start, _ in self._spans]

    def at(self, offset: int) -> bool:
        number = bisect_right(self._starts, offset) - 1
        return number >= 0 and offset < self._spans[number][1]


def _stretches(document: Document, size: int) -> Iterator[tuple[int, int]]:
    """The text between the beginnings of what must stay apart; short sections of a text are taken
    together, a heading with what it heads."""
    edges = {0: False}
    for place in document.places:
        if place.kind in _APART:
            edges[place.start] = edges.get(place.start, False) or place.kind != "heading"
    starts = sorted(edges)
    begin = 0
    for at, following in pairwise([*starts[1:], len(document.text)]):
        short = at - begin < size // 4 and following - begin <= size
        if edges[at] or not short:
            yield begin, at
            begin = at
    yield begin, len(document.text)


def _context(places: Sequence[Place], text: str) -> str:
    """Titles and header rows that the passage itself does not say."""
    first: dict[str, str] = {}
    for place in places:
        if place.kind in ("heading", "columns"):
            first.setdefault(place.kind, " ".join(place.label.split()))
    known = [label for label in first.values() if label and label not in " ".join(text.split())]
    return " — ".join(label[:_CONTEXT] for label in known)


def _first(settings: Mapping[str, Any], names: Sequence[str], default: int) -> Any:
    return next((settings[name] for name in names if settings.get(name) is not None), default)


def _within(name: str, value: Any, limits: tuple[int, int]) -> int:
    lowest, highest = limits
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = lowest - 1
    if isinstance(value, bool) or not lowest <= number <= highest:
        raise BadSetting(
            f"The {name} cannot be {value!r}.",
            do=f"Choose a whole number of characters from {lowest} to {highest}.",
        )
    return number
