"""A thread's folder played into a database, with its history, so that undo goes on working."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from webapp.chat.messages import Message
from webapp.chat.records import Delete, Put
from webapp.errors import Damaged
from webapp.threads import about, exact, history, log, named_acts, undo
from webapp.threads.logfile import LogFile
from webapp.threads.named_acts import NamedAct
from webapp.threads.rows import ThreadRows, bound


def copy(folder: Path, db: sqlite3.Connection, now: int) -> None:
    """The folder's name becomes the key. What cannot be read of thread.json goes along as it is;
    unreadable lines stay in the folder."""
    key = folder.name
    _copy_fields(folder, db)
    known = history.load(folder)
    rows = ThreadRows(db, key)
    at = log.SINCE_EVER
    for stretch in known.stretches:
        for line in log.read(stretch.lines, []):
            at = max(at, line.at)  # lines of other programs have no time
            rows.apply(line.record, at, line.act.id if line.act else None)
    for moment, act in sorted(_acts(known), key=lambda each: each[0]):
        named_acts.add(db, key, moment, act)
    _settle(rows, LogFile(folder).replay.messages(), now)


def _copy_fields(folder: Path, db: sqlite3.Connection) -> None:
    try:
        thread = about.load(folder)
        times = thread.created, thread.updated
    except Damaged:
        times = folder.stat().st_mtime, folder.stat().st_mtime
    moment, dot, _ = folder.name.rpartition(".")
    db.execute(
        "INSERT INTO threads (id, data, created_at, updated_at, deleted_at) VALUES (?, ?, ?, ?, ?)",
        (folder.name, _text(about.text(folder)), *times, int(moment) if dot else None),
    )


def _acts(known: history.History) -> Iterator[tuple[int, NamedAct]]:
    for deed in known.deeds().values():
        before, after = map(_pointing_at, deed.act.root) if deed.act.root else (None, None)
        ids = [undo.id_of(record) for record in deed.records]
        yield deed.at, NamedAct(deed.act.what, ids, before, after, deed.act.id)
    for change in known.thread_changes:
        before, after = _json(change.before), _json(change.after)
        yield change.at, NamedAct(change.act.what, (), before, after, change.act.id)


def _settle(rows: ThreadRows, messages: Sequence[Message], now: int) -> None:
    """Whatever the history said: in the end there is what the log says, in its order."""
    for message in messages:
        rows.apply(Put(message), now, None)
    ids = {bound(message.id) for message in messages}
    for row in rows.stored():
        extra = row.message()
        if extra is not None and bound(extra.id) not in ids:
            rows.apply(Delete(extra.id), now, None)
    rows.arrange([message.id for message in messages])


def _pointing_at(root: str | None) -> bytes:
    return _json({"metadata": {"activeRootId": root}} if root else {})


def _json(value: object) -> bytes:
    return exact.encoded(exact.dumps(value))


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data
