"""One thread's messages in a database, and how they came to be: the SQL of both, and its rules.

Every message is a row whose position is its order. Every change of a row leaves another in the
history, which leads from what is there now back to what was there before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put, Record
from webapp.threads import exact, log
from webapp.threads.deltas import BrokenChainError, Delta, delta
from webapp.threads.thread_row import as_bytes

_STEP: Final = "message_id, position, at, act, head, tail, middle, crc"
_ADD_STEP: Final = f"INSERT INTO history (thread_id, {_STEP}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Row:
    """A message as it is stored, by the bytes of its id."""

    name: bytes
    position: int
    data: bytes

    def message(self) -> Message | None:
        """None for what is none. The row's id counts, whatever its data says."""
        try:
            value = exact.loads(self.data.decode("utf-8"))
            message_id = self.name.decode("utf-8", "surrogatepass")
        except ValueError:
            return None
        if not isinstance(value, dict) or not isinstance(value.get("role"), str):
            return None
        return Message(value if value.get("id") == message_id else {**value, "id": message_id})


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one message; `act` is the id of the named act it belongs to."""

    name: bytes
    position: int
    at: int
    act: str | None
    back: Delta


class ThreadRows:
    """Inside one transaction. `key` is the thread's id in the database; history up to `settled`
    no longer says where a deleted message had its place."""

    def __init__(self, db: sqlite3.Connection, key: str, settled: int = 0) -> None:
        self._db = db
        self._key = key
        self._settled = settled

    def stored(self) -> list[Row]:
        """All rows, in order."""
        found = self._db.execute(
            "SELECT id, position, data FROM messages WHERE thread_id = ? ORDER BY position",
            (self._key,),
        )
        return [Row(name, position, as_bytes(data)) for name, position, data in found]

    def find(self, message_id: str) -> Row | None:
        found = self._db.execute(
            "SELECT id, position, data FROM messages WHERE thread_id = ? AND id = ?",
            (self._key, bound(message_id)),
        ).fetchone()
        return Row(found[0], found[1], as_bytes(found[2])) if found else None

    def apply(self, record: Record, at: int, act: str | None) -> None:
        """Changes of unknown messages change nothing. Raises BadInput for what could not be read
        back."""
        body = log.body_of(record)
        if isinstance(record, Put):
            self._store(record.message, body + b"}", at, act)
            return
        row = self.find(record.message_id)
        if row is not None:
            self._change(record, row, at, act)

    def remove(self, row: Row, at: int, act: str | None = None) -> None:
        self._db.execute("DELETE FROM messages WHERE position = ?", (row.position,))
        self._keep(_id(row.name), row.position, delta(row.data, None), at, act)

    def arrange(self, message_ids: Sequence[str]) -> None:
        """Put all messages into that order, in the places they take up together."""
        rows = self.stored()
        if [_id(row.name) for row in rows] == [bound(each) for each in message_ids]:
            return
        places = [row.position for row in rows]
        for place, message_id in zip(places, message_ids, strict=True):
            self._db.execute(
                "UPDATE messages SET position = ? WHERE thread_id = ? AND id = ?",
                (-place, self._key, bound(message_id)),
            )
        self._db.execute(
            "UPDATE messages SET position = -position WHERE thread_id = ? AND position < 0",
            (self._key,),
        )

    def steps(self, *, since: int | None = None, message_id: str | None = None) -> Iterator[Step]:
        """The history, newest first: from the first change after `since` on, or of one message."""
        where = "thread_id = ?"
        values: list[str | bytes | int] = [self._key]
        if message_id is not None:
            where, values = f"{where} AND message_id = ?", [*values, bound(message_id)]
        if since is not None:
            first = "SELECT ifnull(min(seq), 1 << 62) FROM history WHERE thread_id = ? AND at > ?"
            where, values = f"{where} AND seq >= ({first})", [*values, self._key, since]
        found = self._db.execute(
            f"SELECT {_STEP} FROM history WHERE {where} ORDER BY seq DESC",  # noqa: S608
            values,
        )
        for name, position, at, act, *back in found:
            yield Step(name, position, at, act.decode() if act else None, Delta(*back))

    def at(self, moment: int) -> tuple[list[Row], int]:
        """The rows at that moment, in order, and how many of their changes could not be taken
        back."""
        rows = {row.name: row for row in self.stored()}
        broken = 0
        for step in self.steps(since=moment):
            try:
                take_back(rows, step)
            except BrokenChainError:
                broken += 1
        return sorted(rows.values(), key=lambda row: row.position), broken

    def around(self, act: str, message_id: str) -> tuple[Message | None, Message | None] | None:
        """The message before and after that act; None when the act did not change it. Raises
        BrokenChainError."""
        row = self.find(message_id)
        rows = {row.name: row} if row else {}
        after, begun = None, False
        for step in self.steps(message_id=message_id):
            if begun and step.act != act:
                break
            if not begun and step.act == act:
                begun, after = True, _only(rows)
            take_back(rows, step)
        return (_only(rows), after) if begun else None

    def _store(self, message: Message, data: bytes, at: int, act: str | None) -> None:
        row = self.find(message.id)
        if row is None:
            place = self._place(message.id)
            added = self._db.execute(
                "INSERT INTO messages (position, id, thread_id, data, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (place, bound(message.id), self._key, data.decode(), message.created_at),
            )
            position = added.lastrowid or 0
            self._keep(bound(message.id), position, delta(None, data), at, act)
        elif row.data != data:
            self._db.execute(
                "UPDATE messages SET data = ?, created_at = ? WHERE position = ?",
                (data.decode(), message.created_at, row.position),
            )
            self._keep(bound(message.id), row.position, delta(row.data, data), at, act)

    def _change(self, record: Append | Patch | Delete, row: Row, at: int, act: str | None) -> None:
        if isinstance(record, Delete):
            self.remove(row, at, act)
            return
        message = row.message()
        if message is None:
            return
        match record:
            case Patch(_, metadata):
                changed = message.with_metadata(metadata)
            case Append(_, text):
                changed = message.with_appended(text)
        self._store(changed, log.body_of(Put(changed)) + b"}", at, act)

    def _place(self, message_id: str) -> int | None:
        """Where a message stood that is not there now; None for a place at the end."""
        found = self._db.execute(
            "SELECT position FROM history WHERE thread_id = ? AND message_id = ? AND seq > ?"
            " ORDER BY seq DESC LIMIT 1",
            (self._key, bound(message_id), self._settled),
        ).fetchone()
        return found[0] if found else None

    def _keep(
        self, message_id: str | bytes, position: int, back: Delta, at: int, act: str | None
    ) -> None:
        found = (back.head, back.tail, back.middle, back.crc)
        self._db.execute(_ADD_STEP, (self._key, message_id, position, at, act, *found))


def take_back(rows: dict[bytes, Row], step: Step) -> None:
    """Make `rows` what they were before that step. Raises BrokenChainError."""
    found = rows.get(step.name)
    before = step.back.before(found.data if found else None)
    if before is None:
        rows.pop(step.name, None)
    else:
        rows[step.name] = Row(step.name, step.position, before)


def bound(message_id: str) -> str | bytes:
    """An id as SQLite can hold it: halves of a surrogate pair are joined as JSON would join them;
    a lone one makes it bytes, which equal no text."""
    whole = message_id.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    try:
        whole.encode("utf-8")
    except UnicodeEncodeError:
        return whole.encode("utf-8", "surrogatepass")
    return whole


def _id(name: bytes) -> str | bytes:
    """An id as it was bound, from its bytes."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name


def _only(rows: dict[bytes, Row]) -> Message | None:
    row = next(iter(rows.values()), None)
    return row.message() if row else None
