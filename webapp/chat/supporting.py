"""What a sentence has in common with a passage: which part of it, and how many words."""

from __future__ import annotations

import re
from typing import Final

from webapp.chat.figures import figures
from webapp.chat.sentences import sentences

_TERM: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff]+"
)

_FEWEST: Final = 5
_NEARLY_ALL: Final = 0.85
_NEGATIONS: Final = (
    "not no never none nor without cannot t nicht kein keine nie ohne ne pas jamais sans nunca sin "
    "不 没 無 无 非 未"
)
_NOT: Final = frozenset(_NEGATIONS.split())


def supporting_span(sentence: str, passage: str) -> tuple[int, int]:
    """Start and end in the passage (code points): its sentence that shares the most words with
    `sentence`, words that stand in few of its sentences counting more; all of it where nothing
    is shared."""
    parts = sentences(passage)
    terms = [frozenset(terms_of(part.text)) for part in parts]
    asked = frozenset(terms_of(sentence))
    rates = [
        sum(1 / sum(term in other for other in terms) for term in asked & each) for each in terms
    ]
    best = max(rates, default=0.0)
    if not best:
        return 0, len(passage)
    part = parts[rates.index(best)]
    return part.start, part.end


class PassageWords:
    """The words of a passage, sentence by sentence: vectors of a long passage are like none of
    its sentences, so that one that was taken over word for word can look foreign."""

    def __init__(self, passage: str) -> None:
        self._parts = [
            (frozenset(terms_of(part.text)), _values(part.text)) for part in sentences(passage)
        ]

    def share(self, sentence: str) -> float:
        """How many of the sentence's words stand together in one sentence of the passage, 0 to 1;
        0 for less than nearly all, for too few words to tell, and where a number or a "not" is
        in one of the two only."""
        asked = frozenset(terms_of(sentence))
        if len(asked) < _FEWEST:
            return 0.0
        values = _values(sentence)
        shares = (
            len(asked & part) / len(asked)
            for part, theirs in self._parts
            if values <= theirs and asked & _NOT == part & _NOT
        )
        best = max(shares, default=0.0)
        return best if best >= _NEARLY_ALL else 0.0


def _values(text: str) -> frozenset[str]:
    return frozenset(each.value for each in figures(text))


def negations(text: str) -> frozenset[str]:
    """Its words for not, none and without."""
    return _NOT.intersection(terms_of(text))


def terms_of(text: str) -> list[str]:
    """Its words, and each character of writing without spaces, in order and in small letters."""
    return [found[0].casefold() for found in _TERM.finditer(text)]
