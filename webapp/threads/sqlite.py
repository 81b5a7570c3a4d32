"""The thread store that is one SQLite file, `threads.sqlite3`."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final

from webapp.chat.messages import Message, Thread
from webapp.chat.records import ActiveRoot, Put, Record
from webapp.errors import StorageFailed, StrataError
from webapp.threads import about, named_acts, thread_row, undo
from webapp.threads.belongings import Belongings
from webapp.threads.database import FILE, Database
from webapp.threads.findings import counted
from webapp.threads.folders import not_found
from webapp.threads.history import KEPT_MS
from webapp.threads.named_acts import NamedAct
from webapp.threads.rewriting import streamed_into
from webapp.threads.rows import Row, ThreadRows
from webapp.threads.store import Change, Contents, DamagedThread, TrashedThread
from webapp.threads.trash import id_in_use, not_removed

_KEPT: Final = 8
_DAY_MS: Final = 24 * 3600 * 1000


class SqliteThreadStore:
    """Under `root`: `threads.sqlite3`, and beside it the files of threads. `clock_ms` tells
    milliseconds since 1970. An act is one transaction; writers wait for each other, readers for
    nobody."""

    def __init__(self, root: Path, clock_ms: Callable[[], int]) -> None:
        self._database = Database(root / FILE)
        self._clock = clock_ms
        self._listed: dict[bytes, tuple[bytes, Thread | DamagedThread]] = {}
        self._contents: OrderedDict[str, tuple[int, Contents]] = OrderedDict()
        self._contents_lock = Lock()
        self._let_go_at = 0
        self._belongings = Belongings(root)
        with suppress(StrataError):  # a folder that may only be read stays as it is
            self._settle()

    # --- threads ---

    def list_threads(self) -> list[Thread | DamagedThread]:
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT id, data, updated_at FROM threads WHERE deleted_at IS NULL"
            ).fetchall()
        known, found = self._listed, {}
        for name, data, updated in rows:
            text, last = thread_row.as_bytes(data), known.get(name)
            same = last is not None and last[0] == text
            found[name] = last if last and same else (text, thread_row.listed(name, text, updated))
        self._listed = found
        entries = [entry for _, entry in found.values()]
        return sorted(entries, key=lambda entry: (-entry.updated, entry.id))

    def get_thread(self, thread_id: str) -> Thread:
        with self._database.reading() as db:
            return thread_row.decoded(thread_id, thread_row.data(db, thread_id))

    def create_thread(self, thread: Thread, messages: Sequence[Message] = ()) -> None:
        with self._database.writing() as db:
            if thread_row.insert(db, thread):
                self._write(db, thread.id, [Put(message) for message in messages], NamedAct(""))

    def modify_thread(self, thread: Thread, *, what: str = "") -> None:
        with self._database.writing() as db:
            if thread_row.insert(db, thread):
                return
            before = thread_row.data(db, thread.id)
            thread_row.decoded(thread.id, before)
            act = NamedAct(what, (), before, thread_row.save(db, thread))
            self._write(db, thread.id, (), act)

    def delete_thread(self, thread_id: str) -> None:
        with self._belongings.following() as follow, self._database.writing() as db:
            thread_row.numbers(db, thread_id)
            now = self._clock()
            while thread_row.exists(db, f"{now}.{thread_id}"):
                now += 1
            db.execute(
                "UPDATE threads SET id = ?, deleted_at = ? WHERE id = ?",
                (f"{now}.{thread_id}", now, thread_id),
            )
            follow(thread_id, f"{now}.{thread_id}")

    def trash(self) -> list[TrashedThread]:
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT id, data, deleted_at FROM threads WHERE deleted_at IS NOT NULL"
            ).fetchall()
        found = []
        for key, data, deleted_at in rows:
            name = key.decode("utf-8", "replace").partition(".")[2]
            found.append(about.trashed(name, thread_row.as_bytes(data), deleted_at))
        return sorted(found, key=lambda thread: (-thread.deleted_at, thread.id))

    def restore_thread(self, thread_id: str) -> None:
        with self._belongings.following() as follow, self._database.writing() as db:
            newest = db.execute(
                "SELECT id FROM threads WHERE deleted_at IS NOT NULL"
                " AND id = deleted_at || '.' || ? ORDER BY deleted_at DESC LIMIT 1",
                (thread_row.checked(thread_id),),
            ).fetchone()
            if newest is None:
                raise not_found()
            if thread_row.exists(db, thread_id):
                raise id_in_use()
            db.execute(
                "UPDATE threads SET id = ?, deleted_at = NULL WHERE id = ?",
                (thread_id, newest[0].decode()),
            )
            follow(newest[0].decode(), thread_id)

    def empty_trash(
        self, older_than_ms: int | None = None, whose: Callable[[str], bool] | None = None
    ) -> int:
        with self._belongings.leaving() as leave, self._database.writing() as db:
            rows = db.execute(
                "SELECT id, data FROM threads WHERE deleted_at IS NOT NULL"
                " AND deleted_at < ifnull(?, deleted_at + 1)",
                (older_than_ms,),
            ).fetchall()
            found = [
                key
                for key, data in rows
                if whose is None or whose(about.trashed("", thread_row.as_bytes(data), 0).owner)
            ]
            db.executemany("DELETE FROM threads WHERE id = ?", [(key.decode(),) for key in found])
            leave([key.decode() for key in found])
        try:
            self._database.shrink()
        except StorageFailed as error:
            raise not_removed(error) from error
        self._belongings.take_apart()
        return len(found)

    # --- messages ---

    def read(self, thread_id: str) -> Contents:
        with self._database.reading() as db:
            return self._read(db, thread_id)

    def create_message(self, thread_id: str, message: Message) -> None:
        with self._rows(thread_id) as (db, rows):
            if rows.find(str(message.data.get("id"))) is None:
                self._write(db, thread_id, [Put(message)], NamedAct(""))

    def write(
        self,
        thread_id: str,
        records: Sequence[Record],
        *,
        what: str = "",
        durable: bool = True,
        active_root: ActiveRoot | None = None,
    ) -> None:
        with self._rows(thread_id, durable=durable) as (db, _):
            before = after = None
            if active_root is not None:
                before = thread_row.data(db, thread_id)
                thread = thread_row.decoded(thread_id, before)
                pointed = {"activeRootId": active_root.message_id}
                after = thread_row.save(db, thread.with_metadata(pointed))
            self._write(db, thread_id, records, NamedAct(what, (), before, after))

    def rewrite(self, thread_id: str) -> None:
        """What is superseded has its place in the history from the start; only the places of
        deleted messages are let go."""
        with self._rows(thread_id) as (db, _):
            if any(each.status == "pending" for each in self._read(db, thread_id).messages):
                raise streamed_into()
            db.execute(
                "UPDATE threads SET settled = (SELECT ifnull(max(seq), 0) FROM history)"
                " WHERE id = ?",
                (thread_id,),
            )

    # --- what was before ---

    def changes(self, thread_id: str) -> list[Change]:
        with self._database.reading() as db:
            thread_row.numbers(db, thread_id)
            return named_acts.since(db, thread_id, self._clock() - KEPT_MS)

    def undo(self, thread_id: str, change_id: str) -> Contents:
        with self._rows(thread_id) as (db, rows):
            act = named_acts.find(db, thread_id, change_id)
            records = named_acts.inverse(rows, act)
            before = after = None
            if act.before is not None:
                before = thread_row.data(db, thread_id)
                thread = thread_row.decoded(thread_id, before)
                after = thread_row.save(db, named_acts.fields_before(act, thread))
                if not records and thread_row.decoded(thread_id, after) == thread:
                    raise undo.changed_since()
            undone = NamedAct(undo.named(act.what), (), before, after)
            self._write(db, thread_id, records, undone, settled=0)
        return self.read(thread_id)

    def as_of(self, thread_id: str, moment_ms: int) -> Contents:
        with self._database.reading() as db:
            thread_row.numbers(db, thread_id)
            return _told(*ThreadRows(db, thread_id).at(moment_ms))

    def thread_as_of(self, thread_id: str, moment_ms: int) -> Thread:
        with self._database.reading() as db:
            now = thread_row.decoded(thread_id, thread_row.data(db, thread_id))
            return named_acts.fields_then(db, now, moment_ms)

    def close(self) -> None:
        self._database.close()

    # --- inside ---

    def _settle(self) -> None:
        with self._database.reading() as db:
            found = db.execute("SELECT id FROM threads").fetchall()
        self._belongings.settle([key.decode("utf-8", "replace") for (key,) in found])

    @contextmanager
    def _rows(
        self, thread_id: str, *, durable: bool = True
    ) -> Iterator[tuple[sqlite3.Connection, ThreadRows]]:
        """The rows of a known thread, for one act. Raises NotFound."""
        thread_row.checked(thread_id)
        with self._database.writing(durably=durable) as db:
            thread_row.numbers(db, thread_id)
            yield db, ThreadRows(db, thread_id)

    def _write(
        self,
        db: sqlite3.Connection,
        thread_id: str,
        records: Sequence[Record],
        act: NamedAct,
        *,
        settled: int | None = None,
    ) -> None:
        now = self._clock()
        known = thread_row.numbers(db, thread_id)[1] if settled is None else settled
        rows = ThreadRows(db, thread_id, known)
        for record in records:
            rows.apply(record, now, act.id if act.what else None)
        if act.what and (records or act.before is not None):
            ids = [undo.id_of(record) for record in records]
            named_acts.add(db, thread_id, now, replace(act, message_ids=ids))
        self._let_go(db, now)

    def _let_go(self, db: sqlite3.Connection, now: int) -> None:
        """Once a day, what is older than 30 days."""
        if now - self._let_go_at < _DAY_MS:
            return
        for table in ("history", "acts"):
            db.execute(f"DELETE FROM {table} WHERE at <= ?", (now - KEPT_MS,))  # noqa: S608
        self._let_go_at = now

    def _read(self, db: sqlite3.Connection, thread_id: str) -> Contents:
        """Before anything of the same transaction was written, or the memory could be of what
        was taken back."""
        revision, _ = thread_row.numbers(db, thread_id)
        with self._contents_lock:
            known = self._contents.get(thread_id)
        if known is not None and known[0] == revision:
            return known[1]
        contents = _told(ThreadRows(db, thread_id).stored())
        with self._contents_lock:
            self._contents[thread_id] = (revision, contents)
            self._contents.move_to_end(thread_id)
            while len(self._contents) > _KEPT:
                self._contents.popitem(last=False)
        return contents


def _told(rows: Sequence[Row], broken: int = 0) -> Contents:
    messages = [row.message() for row in rows]
    whole = tuple(message for message in messages if message is not None)
    damaged = len(messages) - len(whole)
    notices = []
    if damaged:
        kept = "it is kept" if damaged == 1 else "they are kept"
        notices.append(f"{counted(damaged, 'message')} could not be read; {kept} as before.")
    if broken:
        traced = f"{counted(broken, 'change')} of that time could not be traced"
        notices.append(f"{traced}; newer words stand in the place.")
    return Contents(whole, tuple(notices))
