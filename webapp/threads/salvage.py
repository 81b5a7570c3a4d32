"""What can still be read of a damaged database, in a new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from webapp.errors import Damaged
from webapp.threads.database import Database

_TABLES: Final = ("threads", "messages", "history", "acts")
_LISTING: Final = (
    "INSERT OR IGNORE INTO threads (id, data, created_at, updated_at)"
    " SELECT DISTINCT thread_id, '', 0, 0 FROM {}"
)


def is_whole(path: Path) -> bool:
    """SQLite's own look at every page. Raises StorageFailed when it may not be read."""
    try:
        with closing(Database(path)) as database, database.reading() as db:
            found = db.execute("PRAGMA integrity_check(1)").fetchall()
            return found == [(b"ok",)] and not db.execute("PRAGMA foreign_key_check").fetchall()
    except Damaged:
        return False


def salvage(path: Path, new: Path) -> int:
    """Returns how many messages came through. Tables are read from both ends, so that a bad page
    hides only what is in it."""
    with closing(Database(new)) as database, closing(_opened(path)) as old:
        with database.writing() as db:
            db.execute("PRAGMA defer_foreign_keys = ON")
            for table in _TABLES:
                _copy(old, db, table)
            # Messages whose thread was lost get a damaged one, so that they are listed.
            for table in _TABLES[1:]:
                db.execute(_LISTING.format(table))
            found = db.execute("SELECT count(*) FROM messages").fetchone()
        database.shrink()
    return int(found[0])


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> None:
    columns = [name.decode() for _, name, *_ in new.execute(f"PRAGMA table_info({table})")]
    marks = ", ".join("?" * len(columns))
    add = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608
    for direction in ("ASC", "DESC"):
        new.executemany(add, _rows(old, table, columns, direction))


def _rows(
    old: sqlite3.Connection, table: str, columns: list[str], direction: str
) -> Iterator[tuple[object, ...]]:
    """Up to the first that cannot be read."""
    wanted = f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid {direction}"  # noqa: S608
    with suppress(sqlite3.Error):
        yield from old.execute(wanted)


def _opened(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
    db.text_factory = _text
    return db


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data
