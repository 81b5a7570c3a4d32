"""Tables of passages in LanceDB: the one file that knows it, and pyarrow.

Importing the library takes 1.3 s, so it happens with the first table that is opened. One table has
one writer at a time; readers open it anew and see at once what was written, so that what was
deleted is gone for all. Filters are made of values, never of text.
"""

from __future__ import annotations

import importlib
import os
import shutil
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from webapp.documents import lance_folder
from webapp.documents.chunking import Chunk
from webapp.documents.lance_errors import in_words, is_missing
from webapp.documents.lance_folder import Mark
from webapp.documents.rows import COLUMNS, Rows, columns_of
from webapp.documents.vectors import Vectors, checked
from webapp.errors import Conflict

# Old versions stay for readers who opened the table before a change.
GRACE: Final = timedelta(minutes=10)
_INDEX_CACHE: Final = 256 << 20
_METADATA_CACHE: Final = 32 << 20
_VECTOR_INDEX: Final = "IvfFlat"
# All parts of an index of some 300,000 rows, and more where a filter leaves too few rows.
_PROBES: Final = 64


@dataclass(frozen=True)
class TableFacts:
    """`space` names the model that made the vectors; `segments` is 0 without a vector index."""

    space: str
    dimension: int
    rows: int
    segments: int


class LanceTables:
    """All tables of one folder. A table that is not there has no rows."""

    def __init__(self, folder: Path, grace: timedelta = GRACE) -> None:
        self._folder = folder
        self._grace = grace
        self._connecting = threading.Lock()
        self._connection: Any = None
        self._table_of_locks = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.lance"))

    def mark(self, name: str) -> Mark | None:
        """Another one after every change; None when there is no table. Quick."""
        return lance_folder.mark(self._path(name))

    def facts(self, name: str) -> TableFacts | None:
        table = self._open(name)
        if table is None:
            return None
        with in_words("read"):
            metadata = table.schema.metadata or {}
            indexes = [each for each in table.list_indices() if each.index_type == _VECTOR_INDEX]
            return TableFacts(
                metadata.get(b"embedding_model", b"").decode(),
                table.schema.field("vector").type.list_size,
                table.count_rows(),
                sum(each.num_segments or 1 for each in indexes),
            )

    # --- writing ---

    def add(
        self, name: str, space: str, file_id: str, chunks: Sequence[Chunk], vectors: Vectors
    ) -> None:
        """The passages of one file, in place of those it had; makes the table if need be.

        Conflict when the table's vectors are of another model: embed it again first."""
        if not chunks:
            return self.remove(name, [file_id])
        dimension = vectors.shape[-1]
        rows = _arrow(columns_of(file_id, chunks), checked(vectors, len(chunks), dimension), space)
        with self._writing(name):
            table = self._open(name)
            if table is None:
                return self._create(name, rows)
            self._refuse_other(table, space, dimension)
            with in_words("saved"):
                own = _is_in("file_id", [file_id])
                if len(table.search().where(own).limit(1).select(["id"]).to_arrow()):
                    table.delete(own)
                table.add(rows)
            return None

    def remove(self, name: str, file_ids: Collection[str]) -> None:
        with self._writing(name):
            table = self._open(name)
            if table is not None and file_ids:
                with in_words("saved"):
                    table.delete(_is_in("file_id", file_ids))

    def swap(self, name: str, seen: Mark | None, rows: Rows, vectors: Vectors, space: str) -> bool:
        """The same passages with other vectors, at one stroke. False, and nothing is done, when
        the table is no longer as `seen`."""
        with self._writing(name):
            if seen is None or self.mark(name) != seen:
                return False
            kept = {each: rows.table.column(each) for each in COLUMNS if each != "vector"}
            self._create(name, _arrow(kept, checked(vectors, len(rows), vectors.shape[-1]), space))
            return True

    def drop(self, name: str) -> None:
        """Also a table that cannot be read any more."""
        with self._writing(name):
            if (path := self._path(name)).exists():
                with in_words("saved"):
                    aside = path.with_suffix(".dropped")
                    shutil.rmtree(aside, ignore_errors=True)
                    path.rename(aside)
                    shutil.rmtree(aside, ignore_errors=True)
            with self._connecting:
                self._connection = None  # what it remembers may be of the table that is gone

    def optimize(self, name: str) -> None:
        """Few files instead of many, new rows in the index, old versions off the disk. Deleted
        rows that the library leaves in a file, for they are few: all is written anew, unindexed."""
        with self._writing(name):
            table = self._open(name)
            if table is not None:
                with in_words("saved"):
                    table.optimize(cleanup_older_than=self._grace)
                if lance_folder.keeps_deleted(self._path(name)):
                    with in_words("read"):
                        rows = table.to_arrow()
                    self._create(name, rows)
                else:
                    self._index_words(table)

    def build_vector_index(self, name: str) -> None:
        """Anew, if there is one. Its distances are exact: nothing is rounded."""
        with self._writing(name):
            table = self._open(name)
            if table is not None:
                with in_words("saved"):
                    table.create_index(
                        "vector", config=_lancedb().index.IvfFlat(distance_type="cosine")
                    )

    # --- reading ---

    def read(self, name: str) -> Rows | None:
        """All of it."""
        table = self._open(name)
        if table is None:
            return None
        with in_words("read"):
            return Rows(table.search().limit(None).select(list(COLUMNS)).to_arrow())

    def nearest(
        self, name: str, vector: Vectors, count: int, files: Collection[str], *, indexed: bool
    ) -> Rows | None:
        """The `count` passages of `files` that are closest, or about so when `indexed`."""
        table = self._open(name)
        if table is None or not files:
            return None
        (vector,) = checked(vector[None, :], 1, vector.shape[-1])
        with in_words("read"):
            query = table.search(vector, vector_column_name="vector").distance_type("cosine")
            if indexed:
                query = query.maximum_nprobes(0).minimum_nprobes(_PROBES)
            else:
                query = query.bypass_vector_index()
            query = query.where(_is_in("file_id", files)).limit(count)
            return Rows(query.select([*COLUMNS, "_distance"]).to_arrow())

    def matching(self, name: str, words: str, count: int, files: Collection[str]) -> Rows | None:
        """The `count` passages of `files` that share most words, best first. Their ranks
        have no bound."""
        table = self._open(name)
        if table is None or not files:
            return None
        if not _has_word_index(table):  # a crash came between the table and its index
            with self._writing(name):
                self._index_words(table)
        with in_words("read"):
            query = table.search(_lancedb().query.MatchQuery(words, "text"), query_type="fts")
            query = query.where(_is_in("file_id", files)).limit(count)
            return Rows(query.select([*COLUMNS, "_score"]).to_arrow())

    def between(self, name: str, file_id: str, first: int, last: int) -> Rows | None:
        """The passages of a file whose order is `first` to `last`, both included."""
        table = self._open(name)
        if table is None or last < first:
            return None
        order, value = _lancedb().col("ordinal"), _lancedb().lit
        meant = order.gte(value(first)).and_(order.lte(value(last)))
        with in_words("read"):
            query = table.search().where(_is_in("file_id", [file_id]).and_(meant))
            return Rows(query.limit(None).select(list(COLUMNS)).to_arrow().sort_by("ordinal"))

    # --- inside ---

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lance"

    def _database(self) -> Any:
        with self._connecting:
            if self._connection is None:
                session = _lancedb().Session(
                    index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE
                )
                with in_words("read"):
                    self._connection = _lancedb().connect(
                        self._folder, read_consistency_interval=timedelta(0), session=session
                    )
            return self._connection

    def _open(self, name: str) -> Any:
        """None for a table that is not there, or of which a crash left an empty folder."""
        if not self._path(name).exists():
            return None
        database = self._database()
        with in_words("read"):
            try:
                return database.open_table(name)
            except ValueError as error:
                if is_missing(error):
                    return None
                raise

    def _create(self, name: str, rows: Any) -> None:
        """Also over what is there; the change is whole or not at all."""
        database = self._database()
        with in_words("saved"):
            table = database.create_table(name, rows, schema=rows.schema, mode="overwrite")
        self._index_words(table)

    def _index_words(self, table: Any) -> None:
        with in_words("saved"):
            if not _has_word_index(table):
                # Its list of stop words has digits and “c” in it; their rank is low anyway.
                config = _lancedb().index.FTS(
                    base_tokenizer="icu/split", with_position=False, remove_stop_words=False
                )
                table.create_index("text", config=config)

    def _refuse_other(self, table: Any, space: str, dimension: int) -> None:
        with in_words("read"):
            same = table.schema.equals(_schema(dimension, space), check_metadata=True)
        if not same:
            raise Conflict(
                "The passages here were made by another embedding model.",
                do="Wait until they are embedded again, then add the file.",
            )

    @contextmanager
    def _writing(self, name: str) -> Iterator[None]:
        with self._table_of_locks:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            yield


def _lancedb() -> Any:
    os.environ.setdefault("LANCEDB_LOG", "error")
    return importlib.import_module("lancedb")


def _schema(dimension: int, space: str) -> Any:
    pa = importlib.import_module("pyarrow")
    kinds = {"ordinal": pa.int32(), "lead": pa.int32(), "start": pa.int32(), "end": pa.int32()}
    kinds["vector"] = pa.list_(pa.float32(), dimension)
    fields = [pa.field(each, kinds.get(each, pa.string()), nullable=False) for each in COLUMNS]
    return pa.schema(fields, metadata={"embedding_model": space, "schema_version": "1"})


def _arrow(columns: dict[str, Any], vectors: Vectors, space: str) -> Any:
    pa = importlib.import_module("pyarrow")
    count, dimension = vectors.shape
    flat = pa.array(vectors.reshape(count * dimension), pa.float32())
    columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, dimension)
    return pa.table(columns, schema=_schema(dimension, space))


def _has_word_index(table: Any) -> bool:
    with in_words("read"):
        return any(each.index_type == "FTS" for each in table.list_indices())


def _is_in(column: str, values: Collection[str]) -> Any:
    return _lancedb().col(column).isin(list(values))
