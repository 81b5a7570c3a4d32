"""What words found and what meaning found, as one list: what both found comes first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from webapp.search.folding import fold
from webapp.search.meaning import Near
from webapp.search.recalled import Recalled

_FLAT: Final = 10  # the larger, the less it matters to be first in one of the two


def fused(words: Sequence[Recalled], near: Sequence[Near], most: int) -> list[Recalled]:
    """Best first, each message once, with the better of its two scores; of what words found, the
    passage is theirs."""
    found: dict[str, Recalled] = {}
    ranks: dict[str, float] = {}
    alike = [Recalled(each.said, each.start, each.end, each.score) for each in near]
    for row in (words, alike):
        for rank, each in enumerate(row):
            key = " ".join(fold(each.said.text).split())
            known = found.setdefault(key, each)
            found[key] = replace(known, score=max(known.score, each.score))
            ranks[key] = ranks.get(key, 0.0) + 1 / (_FLAT + rank)
    best = sorted(found, key=lambda key: (ranks[key], found[key].said.moment), reverse=True)
    return [found[key] for key in best[:most]]
