"""What pages ask for: hits of everything said, a page at a time."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from webapp.search.index import Filters, FindIndex, Said
from webapp.search.indexer import Indexer, Source
from webapp.search.question import question_from
from webapp.search.recalled import Recalled, recalled
from webapp.search.snippets import Piece, snippet

log = logging.getLogger(__name__)

FILE: Final = "find.sqlite3"
PAGE: Final = 30


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


class Finder:
    """Over the index in the folder `cache`."""

    def __init__(self, cache: Path, source: Source) -> None:
        self.index = FindIndex(cache / FILE)
        self.indexer = Indexer(self.index, source)

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

    def recalled(
        self, question: str, allowed: Callable[[str], bool], most: int
    ) -> Sequence[Recalled]:
        """What was said before that fits a question best; nothing when the index cannot be
        used."""
        try:
            return recalled(self.index, question, allowed, most)
        except (sqlite3.Error, OSError) as error:
            log.warning("nothing could be recalled: %s", error)
            return ()

    def close(self) -> None:
        self.indexer.close()
