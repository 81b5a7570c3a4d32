"""The part of a passage that has the most in common with a sentence."""

from __future__ import annotations

import re
from typing import Final

from webapp.chat.sentences import sentences

_TERM: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff]+"
)


def supporting_span(sentence: str, passage: str) -> tuple[int, int]:
    """Start and end in the passage (code points): its sentence that shares the most words with
    `sentence`, words that stand in few of its sentences counting more; all of it where nothing
    is shared."""
    parts = sentences(passage)
    terms = [frozenset(_terms(part.text)) for part in parts]
    asked = frozenset(_terms(sentence))
    rates = [
        sum(1 / sum(term in other for other in terms) for term in asked & each) for each in terms
    ]
    best = max(rates, default=0.0)
    if not best:
        return 0, len(passage)
    part = parts[rates.index(best)]
    return part.start, part.end


def _terms(text: str) -> list[str]:
    return [found[0].casefold() for found in _TERM.finditer(text)]
