"""The index of everything said, in one SQLite file under `cache/`: derived, and may be deleted.

A row for each message and for each title. Two tables of words lie beside them: `long` finds any
three characters and more, `short` words of one and two. Rows are numbered by their time, so that
the newest come first without sorting: a search costs what it shows, not what it finds.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from webapp.chat.messages import Message
from webapp.chat.thinking import spoken
from webapp.search.folding import composed, fold, short_words
from webapp.search.meaning_tables import MEANING_TABLES, VECTORS
from webapp.search.question import Question, encoded

VERSION: Final = 2
TITLE: Final = "title"
_LONGEST: Final = 200_000  # characters of one message that can be found
_SPREAD: Final = 4096  # messages of one millisecond
_TABLES: Final = f"""
CREATE TABLE thread (id TEXT PRIMARY KEY, stamp TEXT);
CREATE TABLE said (
    place INTEGER PRIMARY KEY, thread TEXT NOT NULL, message TEXT NOT NULL, role TEXT NOT NULL,
    marks INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (thread, message)
);
CREATE VIRTUAL TABLE long USING fts5(words, tokenize='trigram case_sensitive 1');
CREATE VIRTUAL TABLE short USING fts5(words, tokenize='ascii');
{MEANING_TABLES}
"""
_FAST: Final = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
PINNED: Final = 1
STARRED: Final = 2


@dataclass(frozen=True)
class Said:
    """One message, or the title of a thread (`role` is then `title`, `message_id` empty).
    `moment` in milliseconds since 1970; `marks` are PINNED and STARRED, added."""

    thread_id: str
    message_id: str
    role: str
    moment: int
    text: str
    marks: int = 0


@dataclass(frozen=True)
class Filters:
    """What a hit must have; empty ones ask nothing. `since` and `until` in milliseconds."""

    role: str = ""
    since: int | None = None
    until: int | None = None
    marks: int = 0

    def fit(self, said: Said) -> bool:
        since = 0 if self.since is None else self.since
        in_time = since <= said.moment and (self.until is None or said.moment < self.until)
        marked = not self.marks or bool(said.marks & self.marks)
        return in_time and marked and self.role in ("", said.role)


def said(message: Message, thread_id: str) -> Said:
    """As the index keeps a message: without what the model thought first."""
    marks = (PINNED if message.metadata.get("pinned") is True else 0) | (
        STARRED if message.metadata.get("starred") is True else 0
    )
    text = spoken(message.text) if message.role == "assistant" else message.text
    moment = int(message.created_at)
    return Said(thread_id, message.id, message.role, moment, text[:_LONGEST], marks)


class FindIndex:
    """Calls may come from any thread. sqlite3.Error and OSError are the caller's to handle: what is
    lost can be made again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._writer: sqlite3.Connection | None = None

    def put(self, thread_id: str, rows: Iterable[Said]) -> None:
        """New ones, and others in the place of those with the same id."""
        with self.writing(thread_id) as base:
            for row in rows:
                _remove(base, thread_id, [row.message_id])
                _insert(base, row)

    def marks(self, thread_id: str, message_id: str, mark: int, *, on: bool) -> None:
        change = "marks | ?" if on else "marks & ~?"
        with self.writing(thread_id) as base:
            base.execute(
                f"UPDATE said SET marks = {change} WHERE thread = ? AND message = ?",  # noqa: S608
                (mark, thread_id, message_id),
            )

    def remove(self, thread_id: str, message_ids: Iterable[str]) -> None:
        with self.writing(thread_id) as base:
            _remove(base, thread_id, message_ids)

    def replace(self, thread_id: str, rows: Iterable[Said], stamp: str) -> None:
        """All of a thread; what is as it was is left alone."""
        wanted = {row.message_id: row for row in rows}
        with self.writing(thread_id) as base:
            asked = base.execute(
                "SELECT message, role, place / ?, text, marks FROM said WHERE thread = ?",
                (_SPREAD, thread_id),
            )
            known = {each[0]: Said(thread_id, *each) for each in asked}
            same = {id for id, row in wanted.items() if known.get(id) == row}
            _remove(base, thread_id, known.keys() - same)
            for id, row in wanted.items():
                if id not in same:
                    _insert(base, row)
            _stamp(base, thread_id, stamp)

    def drop(self, thread_id: str) -> None:
        with self.writing("") as base:
            asked = base.execute("SELECT message FROM said WHERE thread = ?", (thread_id,))
            _remove(base, thread_id, [id for (id,) in asked.fetchall()])
            base.execute("DELETE FROM thread WHERE id = ?", (thread_id,))

    def stamps(self) -> Mapping[str, str | None]:
        """Of each thread, what it looked like when all of it was here; None when that is open."""
        with self._lock:
            return dict(self._open().execute("SELECT id, stamp FROM thread"))

    def settle(self, thread_id: str, stamp: str) -> None:
        with self.writing("") as base:
            _stamp(base, thread_id, stamp)

    def count(self) -> int:
        """Messages and titles."""
        with self._lock:
            return int(self._open().execute("SELECT count(*) FROM said").fetchone()[0])

    def found(
        self, question: Question, filters: Filters, allowed: Callable[[str], bool]
    ) -> Iterator[Said]:
        """Newest first, of the threads that are `allowed` only; read as far as it is taken."""
        if not question.terms:
            return
        sql, values = _query(question, filters)
        reader = self.reader()
        try:
            for place, *rest in reader.execute(sql, values):
                thread_id, message_id, role, marks, text = rest
                if allowed(thread_id):
                    yield Said(thread_id, message_id, role, place // _SPREAD, text, marks)
        finally:
            reader.close()

    def at(self, base: sqlite3.Connection, places: Iterable[int]) -> Iterator[Said]:
        """What stands there, in the order of `places`."""
        sql = "SELECT thread, message, role, place / ?, text, marks FROM said WHERE place = ?"
        for place in places:
            for row in base.execute(sql, (_SPREAD, place)):
                yield Said(*row)

    def reader(self) -> sqlite3.Connection:
        """One of its own, for the caller to close: it reads on while something is written."""
        with self._lock:
            self._open()
        return sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True)

    def clear(self) -> None:
        """Nothing is known any more."""
        self.close()
        for path in (self._path, *self._beside()):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            if self._writer is not None:
                self._writer.close()
            self._writer = None

    @property
    def vectors(self) -> Path:
        """The file of the vectors that belong to it."""
        return self._path.with_name(VECTORS)

    # --- inside ---

    def _beside(self) -> list[Path]:
        ends = [self._path.with_name(self._path.name + end) for end in ("-wal", "-shm")]
        return [*ends, self.vectors]

    @contextmanager
    def writing(self, thread_id: str) -> Iterator[sqlite3.Connection]:
        """One transaction; `thread_id`, if one is named, is changed by it."""
        with self._lock:
            base = self._open()
            with base:
                if thread_id:
                    _stamp(base, thread_id, None)
                yield base

    def _open(self) -> sqlite3.Connection:
        if self._writer is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._opened()
        return self._writer

    def _opened(self) -> sqlite3.Connection:
        """One of another version, or torn, makes room for an empty one."""
        base = sqlite3.connect(self._path, check_same_thread=False)
        if _is_sound(base):
            return base
        base.close()
        for path in (self._path, *self._beside()):
            path.unlink(missing_ok=True)
        base = sqlite3.connect(self._path, check_same_thread=False)
        base.executescript(f"{_FAST} BEGIN; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
        return base


def _is_sound(base: sqlite3.Connection) -> bool:
    """Whether it is one of ours, of this version."""
    try:
        base.executescript(_FAST)
        (version,) = base.execute("PRAGMA user_version").fetchone()
        return version == VERSION and base.execute("SELECT count(*) FROM thread") is not None
    except sqlite3.Error:
        return False


def _query(question: Question, filters: Filters) -> tuple[str, list[object]]:
    """The words decide; all else is looked at of the rows they give."""
    tables = [("long", question.match_long), ("short", question.match_short)]
    (first, match), *others = [(name, match) for name, match in tables if match]
    wheres, values = [f"{first} MATCH ?"], [match]
    for name, words in others:
        wheres.append(f"{first}.rowid IN (SELECT rowid FROM {name} WHERE {name} MATCH ?)")  # noqa: S608
        values.append(words)
    asked: list[object] = [*values]
    for where, value in (
        ("said.role = ?", filters.role or None),
        ("said.place >= ?", None if filters.since is None else filters.since * _SPREAD),
        ("said.place < ?", None if filters.until is None else filters.until * _SPREAD),
        ("said.marks & ?", filters.marks or None),
    ):
        if value is not None:
            wheres.append(where)
            asked.append(value)
    return (
        "SELECT said.place, said.thread, said.message, said.role, said.marks, said.text "  # noqa: S608
        f"FROM {first} JOIN said ON said.place = {first}.rowid "
        f"WHERE {' AND '.join(wheres)} ORDER BY {first}.rowid DESC",
        asked,
    )


def _insert(base: sqlite3.Connection, row: Said) -> None:
    place = max(0, row.moment) * _SPREAD
    while base.execute("SELECT 1 FROM said WHERE place = ?", (place,)).fetchone():
        place += 1
    text = composed(row.text)
    folded = fold(text)
    base.execute(
        "INSERT INTO said VALUES (?, ?, ?, ?, ?, ?)",
        (place, row.thread_id, row.message_id, row.role, row.marks, text),
    )
    base.execute("INSERT INTO long (rowid, words) VALUES (?, ?)", (place, folded))
    words = encoded(sorted(short_words(folded)))
    if words:
        base.execute("INSERT INTO short (rowid, words) VALUES (?, ?)", (place, words))


def _remove(base: sqlite3.Connection, thread_id: str, message_ids: Iterable[str]) -> None:
    for id in message_ids:
        asked = base.execute(
            "SELECT place FROM said WHERE thread = ? AND message = ?", (thread_id, id)
        )
        for (place,) in asked.fetchall():
            for table in ("long", "short"):
                base.execute(f"DELETE FROM {table} WHERE rowid = ?", (place,))  # noqa: S608
            base.execute("DELETE FROM said WHERE place = ?", (place,))


def _stamp(base: sqlite3.Connection, thread_id: str, stamp: str | None) -> None:
    base.execute(
        "INSERT INTO thread VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp",
        (thread_id, stamp),
    )
