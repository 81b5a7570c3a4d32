"""Which passage stands behind each sentence of an answer. A mark means similar, not proven."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from operator import mul
from typing import Any, Final

from webapp.chat.sentences import Sentence
from webapp.chat.supporting import PassageWords

THRESHOLD: Final = 0.65

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker at `at`, the end of a sentence; `passage` counts from 0. `part` is the place in it
    that was looked at alone."""

    at: int
    sentence: tuple[int, int]
    passage: int
    score: float
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Grounding:
    """Marks in the order of the text, and the sentences that no passage supports."""

    marks: tuple[Mark, ...] = ()
    unsupported: tuple[tuple[int, int], ...] = ()

    def to_data(self) -> dict[str, Any]:
        return {
            "marks": [
                {
                    "at": mark.at,
                    "sentence": list(mark.sentence),
                    "passage": mark.passage,
                    "score": mark.score,
                }
                for mark in self.marks
            ],
            "unsupported": [list(span) for span in self.unsupported],
        }

    @classmethod
    def from_data(cls, data: object) -> Grounding:
        """What is not in the shape of `to_data` is left out: files come from other programs."""
        kept = data if isinstance(data, Mapping) else {}
        marks = (_mark(item) for item in _items(kept.get("marks")))
        spans = (_span(item) for item in _items(kept.get("unsupported")))
        return cls(tuple(m for m in marks if m), tuple(s for s in spans if s))


def ground(  # noqa: PLR0917
    sentences: Sequence[Sentence],
    passages_text: Sequence[str],
    sentence_vectors: Sequence[Vector],
    passage_vectors: Sequence[Vector],
    score: Callable[[float], float],
    threshold: float = THRESHOLD,
) -> Grounding:
    """Of unit-length vectors, one for each sentence and passage; `score` puts a cosine on 0 to 1.
    Nearly the same words in a sentence of the passage count as their share, if that is more. Of
    equal passages the first is taken; one without visible text supports nothing."""
    passages = [
        (index, vector, PassageWords(text))
        for index, (text, vector) in enumerate(zip(passages_text, passage_vectors, strict=True))
        if text.strip()
    ]
    marks: list[Mark] = []
    unsupported: list[tuple[int, int]] = []
    for sentence, vector in zip(sentences, sentence_vectors, strict=True):
        span = (sentence.start, sentence.end)
        rated = [
            (max(score(sum(map(mul, vector, other))), words.share(sentence.text)), -index)
            for index, other, words in passages
        ]
        best, place = max((r for r in rated if isfinite(r[0])), default=(-1.0, 0))
        if rated and best >= threshold:
            marks.append(Mark(sentence.end, span, -place, best))
        else:
            unsupported.append(span)
    return Grounding(tuple(marks), tuple(unsupported))


def _items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _span(value: object) -> tuple[int, int] | None:
    if isinstance(value, list) and len(value) == 2 and all(map(_is_count, value)):
        return (value[0], value[1]) if value[0] <= value[1] else None
    return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _mark(value: object) -> Mark | None:
    if not isinstance(value, Mapping):
        return None
    span, rate = _span(value.get("sentence")), value.get("score")
    if span is None or not _is_count(value.get("at")) or not _is_count(value.get("passage")):
        return None
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not isfinite(rate):
        return None
    return Mark(value["at"], span, value["passage"], float(rate))
