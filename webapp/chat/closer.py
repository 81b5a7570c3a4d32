"""A closer look at sentences that are like no passage as a whole: beside its own sentences. Pure.

A passage tells of several things, so that its vector is like none of them. What is looked at shares
words with the sentence of the answer, and numbers have to stand there with words they stand with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from webapp.chat.figures import Figure, figures
from webapp.chat.grounding import Grounding, Mark, Vector
from webapp.chat.sentences import Sentence, sentences
from webapp.chat.supporting import negations, terms_of

MOST_PIECES: Final = 6  # for one sentence
_LONGEST: Final = 800  # no sentence: a table, say
_LEAST_SHARED: Final = 2.0
_LEAST_OF_CJK: Final = 0.5  # of a word, for each character
_SHORTEST_TERM: Final = 3
_STEM: Final = 6  # letters: the rest is mostly an ending
_SAYING_LITTLE: Final = (
    "the and for are was were with that this these those from they them you your may can has have "
    "had not but its any all also than then there will would which who when where what into only "
    "der die das den dem und ist sind war für mit von ein eine einen einer auf aus bei nicht auch "
    "les des une est que qui dans pour avec sur pas los las del una por con para son como"
)
_LITTLE: Final = frozenset(_SAYING_LITTLE.split())
_NEAR: Final = 0.45  # from here on a piece tells of the same, on the scale of scores
_AROUND: Final = 4  # words on each side of a number


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence of a passage; `passage` counts from 0, `start` and `end` are its place there."""

    passage: int
    start: int
    end: int
    text: str


class Pieces:
    """Of passages that have more than one sentence; of others the whole was looked at."""

    def __init__(self, passages: Iterable[str]) -> None:
        self._pieces: list[tuple[Piece, frozenset[str]]] = []
        for index, text in enumerate(passages):
            parts = [each for each in sentences(text) if len(each.text) <= _LONGEST]
            if len(parts) > 1:
                pieces = (Piece(index, each.start, each.end, each.text) for each in parts)
                self._pieces += ((each, _telling(each.text)) for each in pieces)
        self._counts = Counter(term for _, terms in self._pieces for term in terms)

    def like(self, sentence: str) -> tuple[Piece, ...]:
        """Those that share the most words with it, rare ones counting more; at most `MOST_PIECES`,
        and none that shares one only."""
        asked = _telling(sentence)
        rated = []
        for number, (piece, terms) in enumerate(self._pieces):
            shared = asked & terms
            if sum(map(_worth, shared)) >= _LEAST_SHARED:
                rated.append((-sum(_worth(t) / self._counts[t] for t in shared), number, piece))
        return tuple(piece for _, _, piece in sorted(rated)[:MOST_PIECES])


def closer(  # noqa: PLR0917
    grounding: Grounding,
    said: Mapping[tuple[int, int], tuple[Sentence, Vector]],
    wanted: Mapping[tuple[int, int], Sequence[Piece]],
    vectors: Mapping[Piece, Vector],
    score: Callable[[float], float],
    threshold: float,
) -> Grounding:
    """With a mark at each unsupported sentence that one of its `wanted` pieces supports. Keys are
    the places of sentences; vectors are of unit length."""
    marks, unsupported = list(grounding.marks), []
    for span in grounding.unsupported:
        sentence, vector = said[span]
        rated = [
            (score(sum(map(mul, vector, vectors[piece]))), -number, piece)
            for number, piece in enumerate(wanted.get(span, ()))
        ]
        best = max(rated, default=None)
        if best and best[0] >= threshold and _agree(sentence.text, rated, best[2]):
            piece = best[2]
            marks.append(Mark(span[1], span, piece.passage, best[0], (piece.start, piece.end)))
        else:
            unsupported.append(span)
    marks.sort(key=lambda mark: mark.at)
    return Grounding(tuple(marks), tuple(unsupported))


def _agree(sentence: str, rated: Sequence[tuple[float, int, Piece]], best: Piece) -> bool:
    """A "not" is in both or in none, and each number of the sentence stands in what is near, of the
    same passage, together with words that it stands with here."""
    if bool(negations(sentence)) != bool(negations(best.text)):
        return False
    near = [p.text for value, _, p in rated if value >= _NEAR and p.passage == best.passage]
    told = [({each.value for each in figures(text)}, _telling(text)) for text in near]
    return all(
        any(
            each.value in values and _much(around & terms, around)
            for values, terms in told
            if (around := _around(sentence, each))
        )
        for each in figures(sentence)
    )


def _around(sentence: str, figure: Figure) -> frozenset[str]:
    before = sentence[: figure.start].split()[-_AROUND:]
    behind = sentence[figure.end :].split()[:_AROUND]
    return _telling(" ".join((*before, *behind)))


def _much(shared: frozenset[str], around: frozenset[str]) -> bool:
    return sum(map(_worth, shared)) >= min(_LEAST_SHARED, sum(map(_worth, around)))


def _telling(text: str) -> frozenset[str]:
    """Words that say what it is about, without their endings; numbers, characters of Chinese."""
    return frozenset(
        term.removesuffix("s")[:_STEM]
        for term in terms_of(text)
        if (len(term) >= _SHORTEST_TERM or ord(term[0]) > 0x3000 or term.isdigit())
        and term not in _LITTLE
    )


def _worth(term: str) -> float:
    return _LEAST_OF_CJK if len(term) == 1 and not term.isdigit() else 1.0
