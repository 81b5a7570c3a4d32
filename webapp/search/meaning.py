"""What is near in meaning to a question, among all that was said: by vectors of its parts.

Derived from the index of words and removed with it. What is new is read bit by bit, and what was
read stays, so that an interruption costs one message.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from webapp.search.background import Background
from webapp.search.folding import fold
from webapp.search.index import FindIndex, Said
from webapp.search.meaning_tables import ANEW
from webapp.search.parts import Part, parts
from webapp.search.vector_file import VectorFile, Vectors

LEAST_SCORE: Final = 0.32
_LOOKED_AT: Final = (300, 3_000, 30_000)
_WIPED_AT_ONCE: Final = 2_000


class Model(Protocol):
    """Which vectors these are."""

    @property
    def space(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def a(self) -> float: ...
    def score(self, cosine: float, /) -> float: ...


class TextVectors(Protocol):
    """What makes vectors of texts, of unit length. StrataError when it cannot."""

    @property
    def model(self) -> Model: ...
    def of_question(self, text: str, /) -> Vectors: ...
    def of_questions(self, texts: list[str], /) -> Vectors: ...


@dataclass(frozen=True)
class Unread:
    """A message at its place in the index, and the parts it is read in."""

    place: int
    text: str
    spans: tuple[tuple[int, int], ...]

    @property
    def texts(self) -> list[str]:
        return [self.text[start:stop] for start, stop in self.spans]


class Meaning:
    """Over the index of words. sqlite3.Error and OSError are the caller's to handle, and what
    `vectors` raises."""

    def __init__(self, index: FindIndex, vectors: Callable[[], TextVectors]) -> None:
        self._index = index
        self.vectors = vectors
        self._background: tuple[str, Background] | None = None

    def found(
        self,
        question: str,
        allowed: Callable[[Said], bool],
        most: int,
        least: float = LEAST_SCORE,
    ) -> list[Part]:
        """Best first, of each message its best part, of equal texts one; only what is `allowed`
        and has the `least` score, where 0 is as near as what has nothing to do with it."""
        vectors = self.vectors()
        with closing(self._index.reader()) as base:
            if _space(base) != vectors.model.space:
                return []
            found: dict[str, Part] = {}
            for part in self._scored(base, vectors, question, least):
                if allowed(part.said):
                    found.setdefault(" ".join(fold(part.said.text).split()), part)
                # The next, in the other kind of writing, may be nearer than some of these.
                if len(found) >= 2 * most:
                    break
        return sorted(found.values(), key=lambda part: -part.score)[:most]

    def _scored(
        self, base: sqlite3.Connection, vectors: TextVectors, question: str, least: float
    ) -> Iterator[Part]:
        """By their cosines, and none with less than the `least` score."""
        model, asked = vectors.model, vectors.of_question(question)
        beside = self._background_of(vectors).beside(asked)
        cosines = self._file(model).products(asked)
        for slot in _best(cosines):
            cosine = float(cosines[slot]) + model.a
            if model.score(cosine - beside.least) < least:
                return
            part = self._at(base, slot)
            score = model.score(cosine - beside.of(part.text)) if part else 0.0
            if part and score >= least:
                yield replace(part, score=score)

    def behind(self) -> int:
        """Messages that are not read yet."""
        with closing(self._index.reader()) as base:
            return int(base.execute("SELECT count(*) FROM unread").fetchone()[0])

    # --- read bit by bit ---

    def wipe(self) -> None:
        """Whatever is gone is gone from the disk, too; no model is needed for it."""
        with self._index.writing("") as base:
            gone = base.execute("SELECT slot FROM freed WHERE NOT wiped LIMIT ?", (_WIPED_AT_ONCE,))
            if slots := [(slot,) for (slot,) in gone]:
                (dimension,) = base.execute("SELECT dimension FROM made").fetchone()
                VectorFile(self._index.vectors, dimension).wipe(slot for (slot,) in slots)
                base.executemany("UPDATE freed SET wiped = 1 WHERE slot = ?", slots)

    def begin(self, model: Model) -> None:
        """Anew, if another model made what is there."""
        with self._index.writing("") as base:
            if _space(base) != model.space:
                self._forget(base)
                base.execute("INSERT INTO made VALUES (?, ?)", (model.space, model.dimension))

    def forget(self) -> None:
        """All that was read."""
        with self._index.writing("") as base:
            if _space(base):
                self._forget(base)

    def next_unread(self, passed_over: Collection[int] = ()) -> Unread | None:
        """The newest, but for those at these places."""
        with closing(self._index.reader()) as base:
            sql = "SELECT place, text FROM unread JOIN said USING (place) ORDER BY place DESC"
            for place, text in base.execute(f"{sql} LIMIT ?", (len(passed_over) + 1,)):
                if place not in passed_over:
                    return Unread(place, text, tuple(parts(text)))
        return None

    def keep(self, unread: Unread, model: Model, vectors: Vectors) -> None:
        """One for each of its spans; nothing of a message that was changed meanwhile."""
        with self._index.writing("") as base:
            now = base.execute("SELECT text FROM said WHERE place = ?", (unread.place,)).fetchone()
            if now != (unread.text,) or _space(base) != model.space:
                return
            slots = _free(base, len(unread.spans))
            self._file(model).write(slots, vectors)
            spans = zip(slots, unread.spans, strict=True)
            rows = [(slot, unread.place, *span) for slot, span in spans]
            base.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", rows)
            base.execute("DELETE FROM unread WHERE place = ?", (unread.place,))

    # --- inside ---

    def _forget(self, base: sqlite3.Connection) -> None:
        self._index.vectors.unlink(missing_ok=True)
        for statement in ANEW:
            base.execute(statement)

    def _file(self, model: Model) -> VectorFile:
        return VectorFile(self._index.vectors, model.dimension)

    def _background_of(self, vectors: TextVectors) -> Background:
        known = self._background
        if known is None or known[0] != vectors.model.space:
            known = vectors.model.space, Background(vectors.of_questions)
            self._background = known
        return known[1]

    def _at(self, base: sqlite3.Connection, slot: int) -> Part | None:
        sql = "SELECT place, start, stop FROM part WHERE slot = ?"
        for place, start, stop in base.execute(sql, (slot,)):
            for said in self._index.at(base, [place]):
                return Part(said, start, stop, 0.0)
        return None


def _space(base: sqlite3.Connection) -> str:
    row = base.execute("SELECT space FROM made").fetchone()
    return str(row[0]) if row else ""


def _free(base: sqlite3.Connection, count: int) -> list[int]:
    """Slots that hold nothing: wiped ones first, then further ones."""
    rows = base.execute("SELECT slot FROM freed WHERE wiped ORDER BY slot LIMIT ?", (count,))
    slots = [slot for (slot,) in rows]
    base.executemany("DELETE FROM freed WHERE slot = ?", [(slot,) for slot in slots])
    (used,) = base.execute("SELECT max(slot) FROM part").fetchone()
    (freed,) = base.execute("SELECT max(slot) FROM freed").fetchone()
    first = max(-1 if used is None else used, -1 if freed is None else freed, *slots, -1) + 1
    return [*slots, *range(first, first + count - len(slots))]


def _best(scores: Vectors) -> Iterator[int]:
    """Slots by their scores, best first; the whole order is made only for who takes so many."""
    done = 0
    for many in (*_LOOKED_AT, len(scores)):
        count = min(many, len(scores))
        if count > done:
            top = np.argpartition(scores, -count)[len(scores) - count :]
            yield from top[np.argsort(-scores[top], kind="stable")][done:].tolist()
            done = count
