"""What changed between two versions of a text, word by word; Chinese and Japanese by character.

The shortest way from one text to the other is looked for with a bounded number of steps. Texts
that differ too much for it are compared by paragraphs first, and the changed ones by words as
long as steps are left; what remains then is told as wholly replaced. So any two messages take
well below a second, and whatever the way, both texts can be read off the result unchanged.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["same", "removed", "added"]
STEPS: Final = 120_000

_WIDE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_MARKS: Final = "\u0300-\u036f\u200d\ufe00-\ufe0f"
_WORD: Final = re.compile(
    rf"[{_WIDE}][{_MARKS}]*|\s+|(?:(?![{_WIDE}])[\w{_MARKS}])+|.[{_MARKS}]*", re.DOTALL
)
_PARAGRAPH: Final = re.compile(r"[^\n]*\n+|[^\n]+")


@dataclass(frozen=True)
class Run:
    """A piece of text that both have, that only the old one has, or only the new one."""

    kind: Kind
    text: str


class _TooFar(Exception):
    """The two are further apart than the steps that are left."""


class _Steps:
    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise _TooFar


def word_diff(before: str, after: str, *, steps: int = STEPS) -> tuple[Run, ...]:
    """Runs in reading order; of neighbours, what was removed comes before what was added.

    `same` and `removed` joined are `before`, `same` and `added` joined are `after`."""
    try:
        runs = list(_compared(_WORD.findall(before), _WORD.findall(after), _Steps(steps)))
    except _TooFar:
        runs = list(_by_paragraphs(before, after, _Steps(steps)))
    return tuple(_tidy(runs))


def _by_paragraphs(before: str, after: str, steps: _Steps) -> Iterator[Run]:
    old, new = _PARAGRAPH.findall(before), _PARAGRAPH.findall(after)
    try:
        blocks = list(_grouped(_compared(old, new, _Steps(steps.left))))
    except _TooFar:
        blocks = list(_grouped(_ends_alike(old, new)))
    for same, removed, added in blocks:
        yield Run("same", same)
        words = (_WORD.findall(removed), _WORD.findall(added))
        try:
            yield from _compared(*words, steps)
        except _TooFar:
            steps.left = 0
            yield from _ends_alike(*words)


def _ends_alike(old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    head, tail = _alike(old, new)
    yield Run("same", "".join(old[:head]))
    yield Run("removed", "".join(old[head : len(old) - tail]))
    yield Run("added", "".join(new[head : len(new) - tail]))
    yield Run("same", "".join(old[len(old) - tail :]))


def _compared(old: Sequence[str], new: Sequence[str], steps: _Steps) -> Iterator[Run]:
    """Raises `_TooFar` before the first run."""
    head, tail = _alike(old, new)
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    matches = _matches(middle_old, middle_new, steps)
    yield Run("same", "".join(old[:head]))
    at_old = at_new = 0
    for in_old, in_new, length in (*matches, (len(middle_old), len(middle_new), 0)):
        yield Run("removed", "".join(middle_old[at_old:in_old]))
        yield Run("added", "".join(middle_new[at_new:in_new]))
        at_old, at_new = in_old + length, in_new + length
        yield Run("same", "".join(middle_old[in_old:at_old]))
    yield Run("same", "".join(old[len(old) - tail :]))


def _alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many words both begin with, and how many of the others both end with."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    return head, tail


def _matches(old: Sequence[str], new: Sequence[str], steps: _Steps) -> list[tuple[int, int, int]]:
    """(place in old, place in new, length) of what both have, by Myers' greedy search.

    After so many edits, one row of it says how far down `old` each diagonal has come."""
    rows: list[array[int]] = []
    if not old or not new:
        return []
    for edits in range(len(old) + len(new) + 1):
        steps.take(edits + 1)
        row = array("l")
        for place in range(edits + 1):
            x = _start(rows, edits, place)
            y = begun = x - (2 * place - edits)
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            steps.take(y - begun)
            row.append(x)
            if x >= len(old) and y >= len(new):
                return _walked_back([*rows, row], len(old), len(new))
        rows.append(row)
    return []


def _start(rows: Sequence[array[int]], edits: int, place: int) -> int:
    """Where a diagonal goes on: one word of `new` after its right neighbour, or one of `old`
    after its left one."""
    if not edits:
        return 0
    before = rows[edits - 1]
    return before[place] if _by_adding(before, edits, place) else before[place - 1] + 1


def _by_adding(before: array[int], edits: int, place: int) -> bool:
    return place == 0 or (place != edits and before[place - 1] < before[place])


def _walked_back(rows: Sequence[array[int]], x: int, y: int) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    for edits in range(len(rows) - 1, -1, -1):
        diagonal = x - y
        place = (diagonal + edits) // 2
        start = _start(rows, edits, place)
        if x > start:
            found.append((start, start - diagonal, x - start))
        added = edits and _by_adding(rows[edits - 1], edits, place)
        x, y = (start, start - diagonal - 1) if added else (start - 1, start - diagonal)
    return found[::-1]


def _grouped(runs: Iterable[Run]) -> Iterator[tuple[str, str, str]]:
    """(same, removed, added), again and again."""
    same = removed = added = ""
    for run in runs:
        if run.kind == "same" and run.text and (removed or added):
            yield same, removed, added
            same = removed = added = ""
        same += run.text if run.kind == "same" else ""
        removed += run.text if run.kind == "removed" else ""
        added += run.text if run.kind == "added" else ""
    yield same, removed, added


def _tidy(runs: Iterable[Run]) -> Iterator[Run]:
    """Neighbours joined. A lone space or mark between two changes is no island in them."""
    held: tuple[str, str] = ("", "")
    for same, removed, added in _grouped(runs):
        if held != ("", "") and len(same.strip()) <= 1 and len(same) <= 3 and (removed or added):
            held = (held[0] + same + removed, held[1] + same + added)
            continue
        yield from _told(*held)
        if same:
            yield Run("same", same)
        held = (removed, added)
    yield from _told(*held)


def _told(removed: str, added: str) -> Iterator[Run]:
    if removed:
        yield Run("removed", removed)
    if added:
        yield Run("added", added)
