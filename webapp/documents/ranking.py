"""Two rankings made one, and the same words not told twice.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from webapp.documents.passages import Passage

# How little the first ranks differ: the usual value, with which no ranking outvotes the other.
_SMOOTH: Final = 60


def fused(rankings: Iterable[Sequence[Passage]]) -> list[Passage]:
    """By the sum of 1 / (60 + rank) over the rankings a passage is in; ties in the order given."""
    passages: dict[str, Passage] = {}
    points: dict[str, float] = {}
    for ranking in rankings:
        for rank, passage in enumerate(ranking, 1):
            passages.setdefault(passage.id, passage)
            points[passage.id] = points.get(passage.id, 0.0) + 1 / (_SMOOTH + rank)
    return sorted(passages.values(), key=lambda passage: -points[passage.id])


def without_repeats(passages: Iterable[Passage]) -> list[Passage]:
    """Leaves out what shares more than half of its text with a better one."""
    kept: list[Passage] = []
    for passage in passages:
        if not any(_repeats(passage, better) for better in kept):
            kept.append(passage)
    return kept


def _repeats(passage: Passage, better: Passage) -> bool:
    if passage.file_id != better.file_id:
        return False
    shared = min(passage.end, better.end) - max(passage.start, better.start)
    return 2 * shared > min(passage.end - passage.start, better.end - better.start)
