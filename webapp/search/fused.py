"""What words found and what meaning found, as one list: what both found comes first. Pure.

Who asks something again looks for what was said, not for the question as it was asked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from webapp.search.folding import composed, fold
from webapp.search.index import Said
from webapp.search.parts import Part

_FLAT: Final = 10  # the larger, the less it matters to be first in one of the two
_OF_A_QUESTION: Final = 0.5  # what it is worth beside something told
_SHORT: Final = 300


def fused(question: str, words: Sequence[Part], near: Sequence[Part], most: int) -> list[Part]:
    """Best first, each message once, with the better of its two scores; of what words found, the
    passage is theirs. The question itself is left out."""
    found: dict[str, Part] = {}
    ranks: dict[str, float] = {}
    for row in (words, near):
        for rank, each in enumerate(row):
            key = _key(each.said.text)
            known = found.setdefault(key, each)
            found[key] = replace(known, score=max(known.score, each.score))
            worth = _OF_A_QUESTION if _only_asks(each.said) else 1.0
            ranks[key] = ranks.get(key, 0.0) + worth / (_FLAT + rank)
    found.pop(_key(composed(question)), None)
    best = sorted(found, key=lambda key: (ranks[key], found[key].said.moment), reverse=True)
    return [found[key] for key in best[:most]]


def _key(text: str) -> str:
    """Equal for texts that say the same words."""
    return " ".join(fold(text).split())


def _only_asks(said: Said) -> bool:
    text = said.text.rstrip()
    return said.role == "user" and len(text) < _SHORT and text.endswith(("?", "？", "؟"))
