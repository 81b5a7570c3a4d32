"""What pages ask for: hits of everything said, a page at a time."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from webapp.errors import EngineFailed, StrataError
from webapp.search.fused import fused
from webapp.search.index import Filters, FindIndex, Said
from webapp.search.indexer import Indexer, Source
from webapp.search.meaning import Meaning, TextVectors
from webapp.search.meaning_reader import MeaningReader
from webapp.search.parts import Part
from webapp.search.question import question_from
from webapp.search.recalled import recalled
from webapp.search.snippets import Piece, snippet

log = logging.getLogger(__name__)

FILE: Final = "find.sqlite3"
PAGE: Final = 30
NEAR_PAGE: Final = 8
LONGEST_SHOWN: Final = 280
# What is quoted to a model must be nearer than what a person may look through.
LEAST_ALIKE: Final = 0.4


@dataclass(frozen=True)
class Hit:
    said: Said
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Hits:
    """Newest first. `next` is where the next page begins, None on the last one; `behind` counts
    threads whose newest words may be missing yet; `broken`: the index cannot be used now."""

    hits: tuple[Hit, ...] = ()
    next: int | None = None
    behind: int = 0
    broken: bool = False


@dataclass(frozen=True)
class NearHits:
    """Best first. `behind` counts messages that are not read yet; `trouble` says why there is
    nothing."""

    hits: tuple[Hit, ...] = ()
    behind: int = 0
    trouble: str = ""


class Finder:
    """Over the index in the folder `cache`. What is near in meaning is found as soon as
    `meaning.vectors` is set to what makes them."""

    def __init__(self, cache: Path, source: Source) -> None:
        self.index = FindIndex(cache / FILE)
        self.indexer = Indexer(self.index, source)
        self.meaning = Meaning(self.index, _no_vectors)
        self.reader = MeaningReader(self.meaning)

    def find(
        self, text: str, filters: Filters, allowed: Callable[[str], bool], start: int = 0
    ) -> Hits:
        """Only of threads that are `allowed`, so that a page is as full as it can be, and nobody
        learns how much there is of others."""
        question = question_from(text)
        try:
            rows = self.index.found(question, filters, allowed)
            found = list(islice(rows, start, start + PAGE + 1))
        except (sqlite3.Error, OSError) as error:
            log.warning("nothing could be looked for: %s", error)
            return Hits(broken=True)
        hits = tuple(Hit(each, snippet(each.text, question)) for each in found[:PAGE])
        return Hits(hits, start + PAGE if len(found) > PAGE else None, self.indexer.behind)

    def near(self, text: str, filters: Filters, allowed: Callable[[str], bool]) -> NearHits:
        """What is near in meaning and has not all of the words, which `find` gives."""
        question = question_from(text)

        def fits(said: Said) -> bool:
            return allowed(said.thread_id) and filters.fit(said) and not question.fits(said.text)

        try:
            found = self.meaning.found(text, fits, NEAR_PAGE)
            behind = self.meaning.behind()
        except (sqlite3.Error, OSError) as error:
            log.warning("nothing near could be looked for: %s", error)
            return NearHits(
                trouble="The search index cannot be used at the moment; the log says why."
            )
        except StrataError as error:
            return NearHits(trouble=str(error))
        return NearHits(tuple(Hit(each.said, _words(each)) for each in found), behind)

    def recalled(self, question: str, allowed: Callable[[str], bool], most: int) -> Sequence[Part]:
        """What was said before that fits a question best, by its words and, as far as that is
        known, its meaning; nothing when the index cannot be used."""
        try:
            words = recalled(self.index, question, allowed, 2 * most)
            return fused(question, words, self._alike(question, allowed, 2 * most), most)
        except (sqlite3.Error, OSError) as error:
            log.warning("nothing could be recalled: %s", error)
            return ()

    def _alike(self, question: str, allowed: Callable[[str], bool], most: int) -> Sequence[Part]:
        def fits(said: Said) -> bool:
            return allowed(said.thread_id)

        try:
            return self.meaning.found(question, fits, most, LEAST_ALIKE)
        except StrataError as error:
            log.info("nothing was recalled by its meaning: %s", error)
            return ()

    def close(self) -> None:
        self.reader.close()
        self.indexer.close()


def _no_vectors() -> TextVectors:
    raise EngineFailed("There is no embedding model here.", do="Choose one in the settings.")


def _words(near: Part) -> tuple[Piece, ...]:
    """The beginning of the part, on one line."""
    line = " ".join(near.text.split())
    cut = line[:LONGEST_SHOWN].rpartition(" ")[0] or line[:LONGEST_SHOWN]
    return (Piece(line),) if len(line) <= LONGEST_SHOWN else (Piece(cut), Piece("…"))
