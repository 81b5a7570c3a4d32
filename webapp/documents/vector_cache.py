"""Vectors of passages computed before, in one SQLite file that may be deleted at any time.

Whatever goes wrong here costs time, never an answer: a cache that cannot be read is empty.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from webapp.documents.vectors import Vectors, checked
from webapp.errors import EngineFailed

log = logging.getLogger(__name__)

_MOST: Final = 200_000
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS vectors (number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)"
)


class Space(Protocol):
    """The model whose vectors they are."""

    @property
    def space(self) -> str: ...
    @property
    def dimension(self) -> int: ...


class VectorCache:
    """`most` vectors are kept, the oldest go first."""

    def __init__(self, path: Path, most: int = _MOST) -> None:
        self._path = path
        self._most = most
        self._lock = threading.Lock()

    def read(self, model: Space, texts: Sequence[str]) -> dict[str, Vectors]:
        """Those that are known, and sound."""
        found: dict[str, Vectors] = {}

        def look_up(db: sqlite3.Connection) -> None:
            for text in texts:
                row = db.execute(
                    "SELECT vector FROM vectors WHERE key = ?", (_key(model, text),)
                ).fetchone()
                vector = _sound(row[0], model.dimension) if row else None
                if vector is not None:
                    found[text] = vector

        self._try(look_up)
        return found

    def write(self, model: Space, vectors: Mapping[str, Vectors]) -> None:
        rows = [(_key(model, text), vector.tobytes()) for text, vector in vectors.items()]

        def put(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", rows)
            db.execute(
                "DELETE FROM vectors WHERE number <= (SELECT max(number) FROM vectors) - ?",
                (self._most,),
            )
            db.commit()

        self._try(put)

    def forget(self, model: Space, texts: Sequence[str]) -> None:
        """Those that are not known are fine."""

        def take_out(db: sqlite3.Connection) -> None:
            keys = [(_key(model, text),) for text in texts]
            db.executemany("DELETE FROM vectors WHERE key = ?", keys)
            db.commit()

        if texts and self._path.exists():
            self._try(take_out)

    def _try(self, act: Callable[[sqlite3.Connection], None]) -> None:
        """Opened anew each time, so that a deleted file is simply made again."""
        with self._lock:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with closing(sqlite3.connect(self._path, timeout=1)) as db:
                    db.execute("PRAGMA synchronous = OFF")
                    db.execute(_SCHEMA)
                    act(db)
            except (sqlite3.Error, OSError) as error:
                log.info("the cache of vectors cannot be used: %s", error)
                if type(error) is sqlite3.DatabaseError:  # it is no database, or a broken one
                    with suppress(OSError):
                        self._path.unlink()


def _key(model: Space, text: str) -> bytes:
    return hashlib.sha256(f"{model.space}\0{text}".encode()).digest()


def _sound(data: object, dimension: int) -> Vectors | None:
    if not isinstance(data, bytes) or len(data) != 4 * dimension:
        return None
    try:
        vectors = checked(np.frombuffer(data, np.float32)[None, :], 1, dimension)
    except EngineFailed:
        return None
    return vectors.reshape(dimension)
