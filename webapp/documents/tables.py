"""The tables of passages with all that keeps them quick: copies, indexes, upkeep.

What is written can be searched at once; upkeep follows in the background and only saves time.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from webapp.documents.background import Background
from webapp.documents.chunking import Chunk
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.exact import ExactSearch, closest
from webapp.documents.lance import GRACE, LanceTables, TableFacts
from webapp.documents.lance_folder import Mark, is_untidy
from webapp.documents.passages import Hit, StoredPassage
from webapp.documents.rows import Rows
from webapp.documents.vectors import Vectors, checked, cosines
from webapp.errors import StrataError

log = logging.getLogger(__name__)

Mode = Literal["auto", "ann", "linear"]

_INDEX_FROM: Final = 5000
_COPIES: Final = 256 << 20
_MOST_SEGMENTS: Final = 4
# More than asked for, so that rows which are equally close are put in order by us.
_SPARE: Final = 8

# Rows, and the numbers of those that come into question.
_Candidates = tuple[Rows, NDArray[np.intp]]


class PassageTables:
    """`index_from` rows a table gets an index of its vectors; `copies_bytes` is the room for
    copies of tables in memory."""

    def __init__(
        self,
        folder: Path,
        background: Background,
        *,
        index_from: int = _INDEX_FROM,
        copies_bytes: int = _COPIES,
        grace: timedelta = GRACE,
    ) -> None:
        self.lance = LanceTables(folder, grace)
        self._grace = grace
        self._folder = folder
        self._background = background
        self._index_from = index_from
        self._exact = ExactSearch(self.lance, copies_bytes)
        self._lock = threading.Lock()
        self._facts: dict[str, tuple[Mark | None, TableFacts | None]] = {}
        self._index_works: bool | None = None

    @property
    def index_works(self) -> bool | None:
        """Whether tables can be indexed here; None until one was large enough to try."""
        return self._index_works

    def names(self) -> list[str]:
        return self.lance.names()

    def facts(self, name: str) -> TableFacts | None:
        """None for a table that is not there: no file was added yet."""
        mark = self.lance.mark(name)
        with self._lock:
            kept = self._facts.get(name)
        if kept is None or kept[0] != mark:
            kept = mark, self.lance.facts(name) if mark else None
            with self._lock:
                self._facts[name] = kept
        return kept[1]

    # --- writing ---

    def add(
        self,
        name: str,
        model: EmbeddingModel,
        file_id: str,
        chunks: Sequence[Chunk],
        vectors: Vectors,
    ) -> None:
        """The passages of one file, in place of those it had. They can be found when this is back.

        Conflict when the table was made by another model; EngineFailed for unusable vectors."""
        sound = checked(vectors, len(chunks), model.dimension)
        self.lance.add(name, model.space, file_id, chunks, sound)
        self.tend_later(name)

    def remove(self, name: str, file_ids: Collection[str]) -> None:
        """Unknown ids are fine."""
        self.lance.remove(name, file_ids)
        self.tend_later(name)

    def drop(self, name: str) -> None:
        """With everything in it, at once. A table that is not there is fine."""
        self.lance.drop(name)
        self._exact.forget(name)
        with self._lock:
            self._facts.pop(name, None)

    def clear_dropped(self) -> None:
        """What a crash left of tables that were dropped."""
        for path in self._folder.glob("*.dropped"):
            shutil.rmtree(path, ignore_errors=True)

    def tend_later(self, name: str, seconds: float = 0.0) -> None:
        self._background.add(f"upkeep of {name}", lambda: self.tend(name), seconds)

    def tend_if_untidy(self, name: str) -> None:
        """To be called for each table at the start: the last end may have come before upkeep."""
        if is_untidy(self._folder / f"{name}.lance"):
            self.tend_later(name, self._grace.total_seconds())

    def tend(self, name: str) -> None:
        """Bring the files of a table in order, and index it when it is large enough."""
        self.lance.optimize(name)
        self.tend_if_untidy(name)  # what is gone from the table goes off the disk after the grace
        facts = self.facts(name)
        if facts is None or facts.rows < self._index_from:
            return
        if not 0 < facts.segments <= _MOST_SEGMENTS and self.check_index():
            self.lance.build_vector_index(name)

    def check_index(self) -> bool:
        """Whether an index can be made on this disk and finds what it should; tried once."""
        if self._index_works is None:
            self._index_works = self._try_index()
        return self._index_works

    # --- reading ---

    def nearest(
        self, name: str, vector: Vectors, count: int, files: Collection[str], mode: Mode = "auto"
    ) -> list[Hit]:
        """The passages of `files` closest to `vector`, best first; ties in the files' order.

        `linear` looks at each; `ann` and `auto` use the index where there is one. EngineFailed
        for a vector that is not sound."""
        facts = self.facts(name)
        if facts is None or not files or count < 1:
            return []
        (vector,) = checked(vector[None, :], 1, facts.dimension)
        asked = vector, count + _SPARE, files
        found = None
        if mode != "linear" and facts.segments and self._index_works is not False:
            found = self._by_index(name, *asked)
        if found is None:
            found = self._one_by_one(name, facts, *asked)
        if found is None:
            return []
        rows, numbers = found
        return rows.best(numbers, cosines(rows.vectors[numbers], vector), count)

    def matching(
        self,
        name: str,
        words: str,
        count: int,
        files: Collection[str],
        vector: Vectors | None = None,
    ) -> list[Hit]:
        """The passages of `files` that share most words with `words`, best first. Their cosines
        are to `vector`, or 0 without one."""
        rows = self.lance.matching(name, words, count, files)
        if not rows:
            return []
        return rows.ranked(np.zeros(len(rows)) if vector is None else cosines(rows.vectors, vector))

    def between(self, name: str, file_id: str, first: int, last: int) -> list[StoredPassage]:
        """The passages of a file whose order is `first` to `last`, both included."""
        rows = self.lance.between(name, file_id, first, last)
        return [rows.passage(number) for number in range(len(rows))] if rows else []

    # --- inside ---

    def _by_index(
        self, name: str, vector: Vectors, count: int, files: Collection[str]
    ) -> _Candidates | None:
        try:
            return _all_of(self.lance.nearest(name, vector, count, files, indexed=True))
        except StrataError as error:
            log.warning("the index of %s is not used: %s", name, error)
            return None

    def _one_by_one(
        self, name: str, facts: TableFacts, vector: Vectors, count: int, files: Collection[str]
    ) -> _Candidates | None:
        if not self._exact.fits(facts.rows, facts.dimension):
            return _all_of(self.lance.nearest(name, vector, count, files, indexed=False))
        rows = self._exact.copy(name)
        return (rows, closest(rows, vector, count, files)) if rows else None

    def _try_index(self) -> bool:
        """Build one, in this folder, and ask it."""
        vectors = np.eye(16, dtype=np.float32)[np.arange(512) % 16]
        chunks = [Chunk(n, n, n + 1, "x") for n in range(len(vectors))]
        try:
            with tempfile.TemporaryDirectory(prefix="index-", dir=self._folder) as folder:
                trial = LanceTables(Path(folder))
                trial.add("trial", "", "file", chunks, vectors)
                trial.build_vector_index("trial")
                found = trial.nearest("trial", vectors[3], 1, ["file"], indexed=True)
                works = found is not None and bool(np.allclose(found.vectors, vectors[3:4]))
        except (StrataError, OSError) as error:
            log.warning("no index can be made: %s", error)
            works = False
        if not works:
            log.warning("Passages are searched one by one, because an index does not work here.")
        return works


def _all_of(rows: Rows | None) -> _Candidates | None:
    return (rows, np.arange(len(rows))) if rows else None
