"""One SQLite file: its tables, a few connections to it, and its errors in words.

Whole objects stand in `data` as JSON, so that fields we do not know survive. `history` holds how
to come back from what each message is to what it was; `acts` names what can be undone. A thread in
the trash has `<milliseconds>.<id>` for an id, and everything of it follows by cascade.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

from webapp import durable
from webapp.errors import Conflict, Damaged, StorageFailed

FILE: Final = "threads.sqlite3"

_VERSION: Final = 1
_IDLE: Final = 4
_PATIENCE: Final = 5.0
_OF_A_THREAD: Final = (
    "thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE ON UPDATE CASCADE"
)
_COUNT: Final = "UPDATE threads SET revision = revision + 1 WHERE id ="
# A row's position is its order in the thread. The triggers count changes, also those made by
# other programs, so that reading again costs nothing while there were none; a count begins
# anywhere, so that a thread is not taken for an earlier one of the same id.
_SCHEMA: Final = (
    "CREATE TABLE threads (id TEXT PRIMARY KEY, data TEXT, created_at REAL, updated_at REAL,"
    " deleted_at INTEGER, settled INTEGER NOT NULL DEFAULT 0,"
    " revision INTEGER NOT NULL DEFAULT (random() >> 8))",
    "CREATE TABLE messages (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL,"
    f" {_OF_A_THREAD}, data TEXT, created_at REAL, UNIQUE (thread_id, id))",
    "CREATE TABLE history (seq INTEGER PRIMARY KEY AUTOINCREMENT,"
    f" {_OF_A_THREAD}, message_id TEXT NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL,"
    " act TEXT, head INTEGER NOT NULL, tail INTEGER NOT NULL, middle BLOB, crc INTEGER NOT NULL)",
    f"CREATE TABLE acts (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, {_OF_A_THREAD},"
    " at INTEGER NOT NULL, what TEXT NOT NULL, message_ids TEXT NOT NULL, thread_before TEXT,"
    " thread_after TEXT)",
    "CREATE INDEX messages_of_thread ON messages (thread_id)",
    "CREATE INDEX messages_by_time ON messages (created_at)",
    "CREATE INDEX history_of_message ON history (thread_id, message_id)",
    "CREATE INDEX history_of_thread ON history (thread_id)",
    "CREATE INDEX history_by_time ON history (at)",
    "CREATE INDEX acts_of_thread ON acts (thread_id)",
    "CREATE INDEX acts_by_time ON acts (at)",
    f"CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN {_COUNT} NEW.thread_id; END",
    f"CREATE TRIGGER message_changed AFTER UPDATE ON messages BEGIN {_COUNT} NEW.thread_id; END",
    f"CREATE TRIGGER message_gone AFTER DELETE ON messages BEGIN {_COUNT} OLD.thread_id; END",
)
_ERRNO: Final = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_AUTH: errno.EACCES,
}

_Mark = tuple[int, int] | None
_Guard = Callable[[Path], AbstractContextManager[None]]


class Database:
    """Made once at the start: a file that vanishes later is a fault, not a reason to begin afresh.

    `patience` in seconds is how long other programs that write are waited for. Texts come back as
    bytes, so that one that is no UTF-8 is found where it is parsed."""

    def __init__(self, path: Path, *, patience: float = _PATIENCE) -> None:
        self.path = path
        self._patience = patience
        self._writing = Lock()
        self._idle_lock = Lock()
        self._idle: list[tuple[_Mark, sqlite3.Connection]] = []
        with durable.saving(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with self._in_words(durable.saving):
            self._prepare()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One moment of the file, whatever others write meanwhile. Raises StorageFailed, or
        Damaged."""
        with self._in_words(durable.reading), self._connection() as db:
            db.execute("BEGIN")
            yield db

    @contextmanager
    def writing(self, *, durably: bool = True) -> Iterator[sqlite3.Connection]:
        """All of it or nothing. Raises as `reading`, with nothing written."""
        with self._in_words(durable.saving), self._writing, self._connection() as db:
            db.execute(f"PRAGMA synchronous = {'FULL' if durably else 'NORMAL'}")
            db.execute("BEGIN IMMEDIATE")
            yield db
            self._mark()
            db.execute("COMMIT")

    def shrink(self) -> None:
        """Give back to the disk what was deleted, also its last traces in the write-ahead log."""
        with self._in_words(durable.saving), self._writing, self._connection() as db:
            db.execute("PRAGMA incremental_vacuum").fetchall()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Idempotent; what is used afterwards is opened again."""
        with self._idle_lock:
            while self._idle:
                with suppress(sqlite3.Error):
                    self._idle.pop()[1].close()

    def _prepare(self) -> None:
        db = self._opened()[1] if self.path.exists() else self._connect("rwc")
        try:
            found = db.execute("PRAGMA user_version").fetchone()[0]
            if found == 0:
                _create(db)
            elif found > _VERSION:
                raise Conflict(
                    f"{self.path} was made by a newer Strata.", "Use that one, or another folder."
                )
        finally:
            db.close()

    def _connect(self, mode: str) -> sqlite3.Connection:
        db = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=self._patience,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            db.text_factory = bytes
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA secure_delete = ON")
            db.execute("SELECT 1 FROM sqlite_schema").fetchone()
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _opened(self) -> tuple[_Mark, sqlite3.Connection]:
        """With the mark of its file, or none for a connection not to be used again."""
        mark = self._mark()
        try:
            return mark, self._connect("rw")
        except sqlite3.OperationalError:
            # A folder that may not be written to has no room for the files beside the database.
            # If there is nothing in them, the database can be read by itself.
            log = self.path.with_name(self.path.name + "-wal")
            alone = not log.exists() or not log.stat().st_size
            return None, self._connect("ro&immutable=1" if alone else "ro")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        mark, db = self._idle_one() or self._opened()
        try:
            yield db
        finally:
            if mark and self._is_reusable(db):
                with self._idle_lock:
                    self._idle.append((mark, db))
            else:
                db.close()

    def _idle_one(self) -> tuple[_Mark, sqlite3.Connection] | None:
        now = self._mark()
        with self._idle_lock:
            while self._idle:
                mark, db = self._idle.pop()
                if mark == now:
                    return mark, db
                db.close()
        return None

    def _is_reusable(self, db: sqlite3.Connection) -> bool:
        try:
            if db.in_transaction:
                db.execute("ROLLBACK")
        except sqlite3.Error:
            return False
        return len(self._idle) < _IDLE

    def _mark(self) -> _Mark:
        """Which file it is. Unlinked, it could still be written to, and all of that be lost."""
        stat = self.path.stat()
        return stat.st_dev, stat.st_ino

    @contextmanager
    def _in_words(self, guard: _Guard) -> Iterator[None]:
        with guard(self.path):
            try:
                yield
            except sqlite3.Error as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    raise damaged(self.path) from error
                if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise _in_use(self.path) from error
                if not code:
                    raise
                raise OSError(_ERRNO.get(code, errno.EIO), str(error)) from error


def damaged(path: Path) -> Damaged:
    """A file that SQLite cannot make sense of."""
    return Damaged(
        f"{path} is damaged.",
        "Stop Strata and run `strata doctor --repair`, which works on a copy.",
    )


def _in_use(path: Path) -> StorageFailed:
    return StorageFailed(
        f"Nothing was saved: another program is writing to {path}.", "Close it and try again."
    )


def _create(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:  # nobody else was quicker
        for statement in _SCHEMA:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {_VERSION}")
    db.execute("COMMIT")
