"""Acts that can be undone, in a database: what they are called and what they changed."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.chat.messages import Message, Thread
from webapp.chat.records import Delete, Patch, Put, Record
from webapp.threads import exact, undo
from webapp.threads.deltas import BrokenChainError
from webapp.threads.replay import Replay
from webapp.threads.rows import ThreadRows, bound
from webapp.threads.store import Change


@dataclass(frozen=True)
class NamedAct:
    """`before` and `after` are the thread's own fields when the act changed them, as JSON."""

    what: str
    message_ids: Sequence[str] = ()
    before: bytes | None = None
    after: bytes | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(8))


def add(db: sqlite3.Connection, thread_id: str, at: int, act: NamedAct) -> None:
    fields = [None if each is None else each.decode() for each in (act.before, act.after)]
    db.execute(
        "INSERT INTO acts (id, thread_id, at, what, message_ids, thread_before, thread_after)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (act.id, thread_id, at, _json(act.what), _json(list(act.message_ids)), *fields),
    )


def find(db: sqlite3.Connection, thread_id: str, act_id: str) -> NamedAct:
    """Raises NotFound."""
    found = db.execute(
        "SELECT what, message_ids, thread_before, thread_after FROM acts"
        " WHERE thread_id = ? AND id = ?",
        (thread_id, bound(act_id)),
    ).fetchone()
    if found is None:
        raise undo.unknown_change()
    what, ids, before, after = found
    return NamedAct(_value(what), _value(ids), before, after, act_id)


def since(db: sqlite3.Connection, thread_id: str, oldest: int) -> list[Change]:
    """Newest first."""
    found = db.execute(
        "SELECT id, at, what, message_ids FROM acts WHERE thread_id = ? AND at > ?"
        " ORDER BY at DESC, seq DESC",
        (thread_id, oldest),
    )
    return [
        Change(act_id.decode(), at, _value(what), tuple(_value(ids)))
        for act_id, at, what, ids in found
    ]


def all_of(db: sqlite3.Connection, key: str) -> list[tuple[int, NamedAct]]:
    """With their moments, oldest first."""
    found = db.execute(
        "SELECT at, what, message_ids, thread_before, thread_after, id FROM acts"
        " WHERE thread_id = ? ORDER BY seq",
        (key,),
    )
    return [
        (at, NamedAct(_value(what), _value(ids), before, after, act_id.decode()))
        for at, what, ids, before, after, act_id in found
    ]


def inverse(rows: ThreadRows, act: NamedAct) -> list[Record]:
    """Records that put back what the act made of messages. Raises Conflict."""
    if not act.message_ids:
        return []
    done: list[Record] = []
    before, after = Replay(), Replay()
    for message_id in dict.fromkeys(act.message_ids):
        try:
            found = rows.around(act.id, message_id)
        except BrokenChainError:
            raise undo.changed_since() from None
        if found is None:
            continue
        was, became = found
        for state, message in ((before, was), (after, became)):
            if message is not None:
                state.apply(Put(message))
        done.append(Patch(message_id, {}) if _is_patch(was, became) else Delete(message_id))
    now = Replay(Put(message) for row in rows.stored() if (message := row.message()))
    return undo.inverse(done, before, after, now)


def fields_before(act: NamedAct, now: Thread) -> Thread:
    """The thread's own fields with what the act made of them put back. Raises Conflict."""
    leave = frozenset({"updated", "activeRootId"} if act.message_ids else {"updated"})
    before, after = (_value(each or b"{}") for each in (act.before, act.after))
    return Thread(undo.merged(before, after, now.data, leave=leave))


def fields_then(db: sqlite3.Connection, now: Thread, moment: int) -> Thread:
    """The thread's own fields as they were at that moment."""
    later = [act for at, act in all_of(db, now.id) if at > moment and act.before is not None]
    changes = [(_value(act.before or b"{}"), _value(act.after or b"{}")) for act in later]
    return Thread(undo.rewound(now.data, reversed(changes)))


def _is_patch(was: Message | None, became: Message | None) -> bool:
    if was is None or became is None:
        return False
    return was.with_fields(metadata={}).data == became.with_fields(metadata={}).data


def _json(value: object) -> str:
    return exact.encoded(exact.dumps(value)).decode()


def _value(text: bytes) -> Any:
    return exact.loads(text.decode())
