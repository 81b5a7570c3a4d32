"""The words that a question is asked with, and the stretch of a text where most of them stand.

Pure. Not all have to be there, as they must for a search: people ask in sentences, and the words of
an answer are others. How much each counts is said by whoever knows how rare it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat.followups import EMPTY
from webapp.search.folding import DENSE, WORD, composed, fold, fold_with_places
from webapp.search.question import encoded

MOST_KEYWORDS: Final = 24
_LONGEST_QUESTION: Final = 1000
_LONGEST_LOOKED_AT: Final = 60_000
_SHORTEST_CUT: Final = 6
_LEAD: Final = 80


@dataclass(frozen=True)
class Keyword:
    """`word` is folded, and of a long one only its beginning, so that its other forms are found;
    `match` is for the table of words that `is_long` says."""

    word: str
    match: str
    is_long: bool

    @property
    def pattern(self) -> str:
        """In folded text: from the beginning of a word on, anywhere in dense writing."""
        words = re.escape(self.word)
        if DENSE.match(self.word):
            return words
        return rf"(?<!\w){words}" if self.is_long else rf"(?<!\w){words}(?![\w#+])"


@dataclass(frozen=True)
class Stretch:
    """From `start` to `end` of a text; `share` of all that counts stands there, 0 to 1."""

    start: int
    end: int
    share: float


def keywords(text: str) -> tuple[Keyword, ...]:
    """Each once, in their order; words that say nothing only where there are no others."""
    folded = fold(composed(text)[:_LONGEST_QUESTION])
    found: dict[int, str] = {}
    for run in DENSE.finditer(folded):
        many = range(max(1, len(run[0]) - 1))
        found |= {run.start() + at: run[0][at : at + 2] for at in many}
    bare = DENSE.sub(lambda run: " " * len(run[0]), folded)
    found |= {word.start(): word[0] for word in WORD.finditer(bare)}
    every = [found[at] for at in sorted(found)]
    telling = [word for word in every if word not in EMPTY] or every
    words = dict.fromkeys(map(_cut, telling))
    return tuple(map(_keyword, words))[:MOST_KEYWORDS]


def best_stretch(text: str, weights: Mapping[Keyword, float], most: int) -> Stretch | None:
    """At most `most` characters of composed text; None where no keyword stands."""
    places = _places(text, list(weights))
    if not places:
        return None
    counts = list(weights.values())
    best, first = -1.0, 0
    for begin, _ in places:
        within = {which for at, which in places if begin <= at < begin + most - _LEAD}
        found = sum(counts[which] for which in within)
        if found > best:
            best, first = found, begin
    start = _beginning(text, first, most)
    return Stretch(start, _end(text, start, first, most), best / (sum(counts) or 1.0))


# --- inside ---


def _cut(word: str) -> str:
    if len(word) < _SHORTEST_CUT or DENSE.match(word):
        return word
    return word[: max(_SHORTEST_CUT - 1, len(word) - 2)]


def _keyword(word: str) -> Keyword:
    if DENSE.match(word):
        return Keyword(word, f"{encoded([word])}{'*' if len(word) == 1 else ''}", is_long=False)
    if len(word) < 3:
        return Keyword(word, encoded([word]), is_long=False)
    return Keyword(word, f'"{word}"', is_long=True)


def _places(text: str, words: Sequence[Keyword]) -> list[tuple[int, int]]:
    """Where which keyword stands, in the order of the text."""
    folded, places = fold_with_places(text[:_LONGEST_LOOKED_AT])
    found = []
    for which, keyword in enumerate(words):
        hits = re.finditer(keyword.pattern, folded)
        found += [(places[hit.start()], which) for hit, _ in zip(hits, range(200), strict=False)]
    return sorted(found)


def _beginning(text: str, first: int, most: int) -> int:
    """Of the line or the word, a little before what was found first."""
    start = max(0, min(first - _LEAD, len(text) - most))
    if not start:
        return 0
    line = text.rfind("\n", start, first)
    space = re.search(r"\s", text[start : min(start + 30, first)])
    return line + 1 if line >= 0 else start + (space.end() if space else 0)


def _end(text: str, start: int, first: int, most: int) -> int:
    end = min(len(text), start + most)
    if end == len(text):
        return end
    space = max(text.rfind(" ", end - 30, end), text.rfind("\n", end - 30, end))
    return space if space > first else end
