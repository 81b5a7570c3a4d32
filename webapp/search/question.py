"""What somebody looks for: words that must all be there, or a phrase in quotation marks.

Pure. A term of three characters and more is found anywhere, also inside a word; a shorter one as a
word of its own, or anywhere in writing without spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from webapp.search.folding import DENSE, composed, fold, short_words

LONGEST_QUESTION: Final = 300
MOST_TERMS: Final = 12
_TERM: Final = re.compile(
    r'"([^"]*)"?|[“”„«»「」『』]([^“”„«»「」『』]*)[“”„«»「」『』]?|([^\s"“”„«»「」『』]+)'
)
_LEAST_ANYWHERE: Final = 3


@dataclass(frozen=True)
class Question:
    """`terms` are folded and not empty."""

    terms: tuple[str, ...]

    @property
    def long_terms(self) -> tuple[str, ...]:
        return tuple(term for term in self.terms if len(term) >= _LEAST_ANYWHERE)

    @property
    def short_terms(self) -> tuple[str, ...]:
        return tuple(term for term in self.terms if len(term) < _LEAST_ANYWHERE)

    @property
    def match_long(self) -> str:
        """For the table of three neighbours; empty when nothing is that long."""
        return " AND ".join(_quoted(term) for term in self.long_terms)

    @property
    def match_short(self) -> str:
        """For the table of short words; empty without any."""
        wanted = dict.fromkeys(each for term in self.short_terms for each in _tokens(term))
        return " AND ".join(wanted)

    def fits(self, text: str) -> bool:
        """Whether all of it stands in composed text."""
        folded = fold(text)
        return bool(self.terms) and all(term in folded for term in self.terms)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Finds the terms in folded text; None without any."""
        parts = [_pattern(term) for term in sorted(self.terms, key=len, reverse=True)]
        return re.compile("|".join(parts)) if parts else None


def question_from(text: str) -> Question:
    """Of what was typed, however long it is."""
    typed = composed(text)[:LONGEST_QUESTION]
    found = (next(filter(None, groups), "") for groups in _TERM.findall(typed))
    terms = (" ".join(fold(term).split()) for term in found)
    known = (term for term in terms if term and _can_be_found(term))
    return Question(tuple(dict.fromkeys(known))[:MOST_TERMS])


def encoded(words: Iterable[str]) -> str:
    """Short words as the index keeps them: no tokenizer can take them for anything else."""
    return " ".join(word.encode("utf-8", "surrogatepass").hex() for word in words)


def _can_be_found(term: str) -> bool:
    return len(term) >= _LEAST_ANYWHERE or bool(short_words(term))


def _tokens(term: str) -> list[str]:
    """One dense character is looked for as the beginning of any two."""
    whole = DENSE.fullmatch(term) is not None
    words = [term] if whole else sorted(short_words(term))
    return [f"{encoded([word])}{'*' if DENSE.fullmatch(word) else ''}" for word in words]


def _pattern(term: str) -> str:
    words = re.escape(term)
    if len(term) >= _LEAST_ANYWHERE or DENSE.search(term):
        return words
    return rf"(?<!\w){words}(?![\w#+])"


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
