"""The part of a text that is shown of a hit, with what was looked for marked. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from webapp.search.folding import composed, fold_with_places
from webapp.search.question import Question

AROUND: Final = 240
_BEFORE: Final = 70
_LONGEST_LOOKED_AT: Final = 60_000
_MOST_PLACES: Final = 400


@dataclass(frozen=True)
class Piece:
    """`marked`: it is what was looked for."""

    text: str
    marked: bool = False


def snippet(text: str, question: Question, most: int = AROUND) -> tuple[Piece, ...]:
    """About `most` characters of `text` around where most of the terms stand, on one line; an
    ellipsis where something is left out. Its beginning when no term is found."""
    line = composed(text)
    found = _places(line, question)
    start, end = _window(line, found, most)
    pieces = [Piece("…")] if start else []
    at = start
    for begin, stop in found:
        if begin < at or stop > end:
            continue
        pieces += [Piece(line[at:begin]), Piece(line[begin:stop], marked=True)]
        at = stop
    pieces += [Piece(line[at:end]), *([Piece("…")] if end < len(line) else [])]
    return tuple(_on_one_line(piece) for piece in pieces if piece.text)


def _places(line: str, question: Question) -> list[tuple[int, int]]:
    if question.pattern is None:
        return []
    folded, places = fold_with_places(line[:_LONGEST_LOOKED_AT])
    found = []
    for match in question.pattern.finditer(folded):
        begin, stop = places[match.start()], places[match.end()]
        found.append((begin, max(stop, begin + 1)))
        if len(found) == _MOST_PLACES:
            break
    return found


def _window(line: str, found: list[tuple[int, int]], most: int) -> tuple[int, int]:
    """Where the most different terms stand together, the first such place."""
    best, first = 0, 0
    for begin, _ in found:
        inside = {line[a:b].lower() for a, b in found if begin <= a and b <= begin + most - _BEFORE}
        if len(inside) > best:
            best, first = len(inside), begin
    start = max(0, min(first - _BEFORE, len(line) - most))
    end = min(len(line), start + most)
    return _to_word(line, start, first), _from_word(line, end, first)


def _to_word(line: str, start: int, keep: int) -> int:
    """Not in the middle of a word, where there are spaces."""
    space = re.search(r"\s", line[start : start + 20]) if start else None
    moved = start + space.end() if space else start
    return moved if moved <= keep else start


def _from_word(line: str, end: int, keep: int) -> int:
    if end >= len(line):
        return len(line)
    space = line.rfind(" ", end - 20, end)
    return space if space > keep else end


def _on_one_line(piece: Piece) -> Piece:
    return Piece(re.sub(r"\s+", " ", piece.text), piece.marked)
