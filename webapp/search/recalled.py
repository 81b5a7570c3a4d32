"""What was said before that fits a question best: a few short passages, whoever of the threads
that may be looked at said them.

Rare words of the question count more than usual ones, and how many of them stand close together
decides. What somebody said twice, in several versions or threads, is found once.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Final

from webapp.search.folding import fold
from webapp.search.index import FindIndex, Said
from webapp.search.keywords import Keyword, best_stretch, keywords
from webapp.search.parts import Part

LONGEST_PASSAGE: Final = 600
LEAST_SHARE: Final = 0.3
_LOOKED_AT: Final = 2000  # of the newest messages with a word
_COMPARED: Final = 60  # of those that have most of the words
_COUNTED: Final = 20_000
_SPOKEN: Final = "said.role IN ('user', 'assistant')"


def recalled(
    index: FindIndex, question: str, allowed: Callable[[str], bool], most: int
) -> list[Part]:
    """Best first, of the threads that are `allowed` only. sqlite3.Error or OSError when the index
    cannot be read."""
    with closing(index.reader()) as base:
        weights = _weights(base, keywords(question))
        scores: dict[int, float] = defaultdict(float)
        for keyword, weight in weights.items():
            for place in _places(base, keyword, allowed):
                scores[place] += weight
        best = sorted(scores, key=lambda place: (scores[place], place), reverse=True)[:_COMPARED]
        found = [_recalled(said, weights) for said in index.at(base, best)]
    known = [each for each in found if each and each.score >= LEAST_SHARE]
    known.sort(key=lambda each: (each.score, each.said.moment), reverse=True)
    return _once(known)[:most]


# --- inside ---


def _weights(base: sqlite3.Connection, words: Sequence[Keyword]) -> Mapping[Keyword, float]:
    """How rare each is."""
    (every,) = base.execute("SELECT count(*) FROM said").fetchone()
    counts = {}
    for keyword in words:
        table = "long" if keyword.is_long else "short"
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"  # noqa: S608
        (counts[keyword],) = base.execute(sql, (keyword.match, _COUNTED)).fetchone()
    return {each: math.log(1 + every / max(1, count)) for each, count in counts.items()}


def _places(
    base: sqlite3.Connection, keyword: Keyword, allowed: Callable[[str], bool]
) -> list[int]:
    table = "long" if keyword.is_long else "short"
    rows = base.execute(
        f"SELECT said.place, said.thread FROM {table} JOIN said ON said.place = {table}.rowid "  # noqa: S608
        f"WHERE {table} MATCH ? AND {_SPOKEN} ORDER BY {table}.rowid DESC",
        (keyword.match,),
    )
    return [place for place, _ in islice((row for row in rows if allowed(row[1])), _LOOKED_AT)]


def _recalled(said: Said, weights: Mapping[Keyword, float]) -> Part | None:
    found = best_stretch(said.text, weights, LONGEST_PASSAGE)
    return Part(said, found.start, found.end, found.share) if found else None


def _once(found: Sequence[Part]) -> list[Part]:
    known: dict[str, Part] = {}
    for each in found:
        known.setdefault(" ".join(fold(each.text).split()), each)
    return list(known.values())
