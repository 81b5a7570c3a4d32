"""The index of everything said: one SQLite file in the cache, which may be deleted at any time.

A thread is read into it again when its state on disk is another one than the index saw; so a crash,
another program and a restored copy are all noticed alike.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Final

from webapp import durable
from webapp.chat.messages import Message
from webapp.chat.thinking import spoken
from webapp.errors import StrataError
from webapp.search.folding import composed, fold, short_words
from webapp.search.question import Question, encoded

INDEX: Final = "cache/search.sqlite3"  # in the data directory
_VERSION: Final = 1
_SCHEMA: Final = (
    "CREATE TABLE threads (id TEXT PRIMARY KEY, state TEXT NOT NULL)",
    "CREATE TABLE said (n INTEGER PRIMARY KEY, thread TEXT NOT NULL, id TEXT NOT NULL,"
    " role TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL)",
    "CREATE INDEX said_in ON said (thread, id)",
    "CREATE VIRTUAL TABLE longer USING fts5(f, content='', tokenize='trigram case_sensitive 1')",
    "CREATE VIRTUAL TABLE shorter USING fts5(f, content='', detail='none', tokenize='ascii')",
)
_NONE: Final = "SELECT rowid FROM {0} WHERE {0} MATCH ?"


@dataclass(frozen=True)
class Hit:
    """A message in which everything that was looked for stands. `at` in milliseconds."""

    thread_id: str
    message_id: str
    role: str
    at: int
    text: str


class SearchIndex:
    """`read` gives the messages of a thread. Calls may come from any thread; one at a time is
    served."""

    def __init__(self, path: Path, read: Callable[[str], Sequence[Message]]) -> None:
        self._path = path
        self._read = read
        self._lock = threading.Lock()

    def catch_up(self, states: Mapping[str, str], seconds: float) -> int:
        """Read what is in another state than the index saw, in the order given, and forget threads
        that are not there; how many are left to be read when the time is over. One that cannot
        be read is tried again with the next call."""
        until = monotonic() + seconds
        with self._opened() as db:
            known = dict(db.execute("SELECT id, state FROM threads"))
            gone = known.keys() - states.keys()
            due = [each for each, state in states.items() if known.get(each) != state]
            if not gone and not due:
                return 0
            db.execute("BEGIN IMMEDIATE")
            for thread_id in gone:
                self._put(db, thread_id, (), None)
            while due and monotonic() < until:
                thread_id = due.pop(0)
                with suppress(StrataError):
                    self._put(db, thread_id, self._read(thread_id), states[thread_id])
            db.execute("COMMIT")
        return len(due)

    def find(self, question: Question, threads: Collection[str], most: int) -> list[Hit]:
        """Newest first, in these threads only."""
        if not question.terms:
            return []
        wanted = {"longer": question.match_long, "shorter": question.match_short}
        parts = {table: match for table, match in wanted.items() if match}
        where = " AND ".join(f"n IN ({_NONE.format(table)})" for table in parts)
        with self._opened() as db:
            rows = db.execute(
                f"SELECT n, thread FROM said WHERE {where} ORDER BY at DESC, n DESC",  # noqa: S608
                list(parts.values()),
            )
            newest = list(islice((n for n, thread in rows if thread in threads), most))
            read = "SELECT thread, id, role, at, text FROM said WHERE n = ?"
            return [Hit(*db.execute(read, (n,)).fetchone()) for n in newest]

    def _put(
        self, db: sqlite3.Connection, thread_id: str, messages: Sequence[Message], state: str | None
    ) -> None:
        """In place of what was there of the thread; None for a state forgets it."""
        rows = db.execute("SELECT n, id, text FROM said WHERE thread = ?", (thread_id,))
        old = {message_id: (n, text) for n, message_id, text in rows}
        for message in messages:
            text = composed(spoken(message.text)).encode("utf-8", "replace").decode()
            if old.get(message.id, (0, None))[1] == text:
                old.pop(message.id)
                continue
            row = (thread_id, message.id, message.role, int(message.created_at), text)
            added = db.execute(
                "INSERT INTO said (thread, id, role, at, text) VALUES (?,?,?,?,?)", row
            )
            for table, words in _words(text).items():
                put_in = f"INSERT INTO {table} (rowid, f) VALUES (?, ?)"  # noqa: S608
                db.execute(put_in, (added.lastrowid, words))
        for n, text in old.values():
            db.execute("DELETE FROM said WHERE n = ?", (n,))
            for table, words in _words(text).items():
                take_out = f"INSERT INTO {table} ({table}, rowid, f) VALUES ('delete', ?, ?)"  # noqa: S608
                db.execute(take_out, (n, words))
        db.execute("DELETE FROM threads WHERE id = ?", (thread_id,))
        if state is not None:
            db.execute("INSERT INTO threads VALUES (?, ?)", (thread_id, state))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A file that is missing, torn or of another version begins anew."""
        with self._lock, durable.saving(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connected()) as db:
                try:
                    yield db
                except sqlite3.DatabaseError as error:
                    db.close()
                    self._path.unlink(missing_ok=True)
                    raise OSError(f"the index of the search was damaged: {error}") from error

    def _connected(self) -> sqlite3.Connection:
        for _ in range(2):
            db = sqlite3.connect(self._path, isolation_level=None)
            try:
                if db.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
                    return db
            except sqlite3.DatabaseError:
                pass
            db.close()
            self._path.unlink(missing_ok=True)
            self._make()
        return sqlite3.connect(self._path, isolation_level=None)

    def _make(self) -> None:
        with closing(sqlite3.connect(self._path, isolation_level=None)) as db:
            db.execute("BEGIN")
            for statement in _SCHEMA:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {_VERSION}")
            db.execute("COMMIT")


def _words(text: str) -> dict[str, str]:
    folded = fold(text)
    return {"longer": folded, "shorter": encoded(sorted(short_words(folded)))}
