"""Vectors of passages computed before, in one SQLite file that may be deleted at any time.

Whatever goes wrong here costs time, never an answer: a cache that cannot be read is empty. Each
vector has owners, the files its text was found in, and goes for good with the last of them.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from webapp.documents.vectors import Vectors, checked
from webapp.errors import EngineFailed

log = logging.getLogger(__name__)

_MOST: Final = 200_000
# Another version than that of the file: everything is made anew.
_VERSION: Final = 2
_SCHEMA: Final = f"""
    BEGIN;
    DROP TABLE IF EXISTS vectors;
    DROP TABLE IF EXISTS owners;
    CREATE TABLE vectors (
        number INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL);
    CREATE TABLE owners (owner TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (owner, key))
        WITHOUT ROWID;
    CREATE INDEX owners_of_key ON owners (key);
    PRAGMA user_version = {_VERSION};
    COMMIT;
"""


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

    def read(self, model: Space, texts: Iterable[str]) -> dict[str, Vectors]:
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

    def keep(
        self, model: Space, new: Mapping[str, Vectors], owners: Collection[tuple[str, str]]
    ) -> None:
        """Vectors by their texts, and whose they are: pairs of a text, new or known before, and
        an owner. A text that nobody owns is not kept."""
        keys = {text: _key(model, text) for text in {text for text, _ in owners}}
        rows = [(keys[text], vector.tobytes()) for text, vector in new.items() if text in keys]

        def put(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", rows)
            db.executemany(
                "INSERT OR IGNORE INTO owners (owner, key) VALUES (?, ?)",
                [(owner, keys[text]) for text, owner in owners],
            )
            if rows:
                self._make_room(db)

        if keys:
            self._try(put)

    def owners(self) -> set[str]:
        """All that have a vector here."""
        found: set[str] = set()
        if self._path.exists():
            self._try(
                lambda db: found.update(row[0] for row in db.execute("SELECT owner FROM owners"))
            )
        return found

    def forget(self, owners: Iterable[str]) -> None:
        """Their vectors go, off the disk too, but for those that others own as well. Unknown
        owners are fine."""
        gone = [(owner,) for owner in owners]

        def take_out(db: sqlite3.Connection) -> None:
            db.execute("CREATE TEMP TABLE leaving (key BLOB PRIMARY KEY)")
            db.executemany(
                "INSERT OR IGNORE INTO leaving SELECT key FROM owners WHERE owner = ?", gone
            )
            db.executemany("DELETE FROM owners WHERE owner = ?", gone)
            db.execute(
                "DELETE FROM vectors WHERE key IN (SELECT key FROM leaving"
                " EXCEPT SELECT owners.key FROM owners JOIN leaving USING (key))"
            )

        if gone and self._path.exists():
            self._try(take_out)

    def _make_room(self, db: sqlite3.Connection) -> None:
        (newest,) = db.execute("SELECT max(number) FROM vectors").fetchone()
        old = "FROM vectors WHERE number <= ?"
        db.execute(f"DELETE FROM owners WHERE key IN (SELECT key {old})", (newest - self._most,))  # noqa: S608
        db.execute(f"DELETE {old}", (newest - self._most,))

    def _try(self, act: Callable[[sqlite3.Connection], None]) -> None:
        """Opened anew each time, so that a deleted file is simply made again."""
        with self._lock:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with closing(sqlite3.connect(self._path, timeout=1)) as db, db:
                    db.execute("PRAGMA synchronous = OFF")
                    db.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
                    if db.execute("PRAGMA user_version").fetchone() != (_VERSION,):
                        db.executescript(_SCHEMA)
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
