"""A thread of a database written as a folder, with its history, so that undo goes on working.

The log gets one whole message a line, as after a rewrite. The history gets the log that would
have led there: first what was always there, then each change with its time and its act.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from webapp import durable
from webapp.chat.messages import Thread
from webapp.chat.records import Delete, Put, Record
from webapp.threads import exact, history, log, named_acts, thread_row
from webapp.threads.deltas import BrokenChainError
from webapp.threads.folders import ABOUT, DAMAGED, HISTORY, LOG
from webapp.threads.named_acts import NamedAct
from webapp.threads.rows import Row, Step, ThreadRows, take_back


def copy(db: sqlite3.Connection, key: str, folder: Path, now: int) -> None:
    """Into a new folder. Entries that are no messages go to `messages.damaged`."""
    rows = ThreadRows(db, key)
    stored = rows.stored()
    steps = list(rows.steps())
    acts = named_acts.all_of(db, key)
    with durable.saving(folder):
        folder.mkdir(parents=True)
    fields = thread_row.text(db, key)
    if fields:
        durable.replace(folder / ABOUT, fields + b"\n")
    _write(folder / LOG, _log(stored, steps))
    _write(folder / DAMAGED, (row.data + b"\n" for row in stored if row.message() is None))
    _write(folder / HISTORY, (*_past(stored, steps, acts, now), *_field_changes(acts)))


def _write(path: Path, lines: Iterable[bytes]) -> None:
    data = b"".join(lines)
    if data:
        durable.replace(path, data)


def _log(stored: list[Row], steps: list[Step]) -> Iterator[bytes]:
    changed: dict[bytes, int] = {}
    for step in steps:
        changed.setdefault(step.name, step.at)
    for row in stored:
        message = row.message()
        if message is not None:
            yield _line(Put(message), changed.get(row.name, log.SINCE_EVER))


def _past(
    stored: list[Row], steps: list[Step], acts: list[tuple[int, NamedAct]], now: int
) -> Iterator[bytes]:
    """The closed stretch of a log; nothing when nothing ever changed."""
    if not steps:
        return
    base, forward = _forward(stored, steps)
    for row in base:
        message = row.message()
        if message is not None:
            yield _line(Put(message), log.SINCE_EVER)
    unsaid = {act.id: log.Act(act.id, act.what, _roots(act)) for _, act in acts}
    for step, record in forward:
        act = unsaid.pop(step.act, log.Act(step.act)) if step.act else None
        yield _line(record, step.at, act)
    yield history.closing(now)


def _forward(stored: list[Row], steps: list[Step]) -> tuple[list[Row], list[tuple[Step, Record]]]:
    """What was there before all steps, and each step with what it made, oldest first."""
    rows = {row.name: row for row in stored}
    lost: set[bytes] = set()
    found: list[tuple[Step, Record]] = []
    for step in steps:
        if step.name in lost:
            continue
        record = _made(step.name, rows.get(step.name))
        try:
            take_back(rows, step)
        except BrokenChainError:
            lost.add(step.name)
            continue
        if record is not None:
            found.append((step, record))
    return sorted(rows.values(), key=lambda row: row.position), found[::-1]


def _made(name: bytes, row: Row | None) -> Record | None:
    if row is None:
        return Delete(name.decode("utf-8", "surrogatepass"))
    message = row.message()
    return None if message is None else Put(message)


def _roots(act: NamedAct) -> tuple[str | None, str | None] | None:
    if act.before is None or act.after is None:
        return None
    before, after = (Thread(exact.loads(each.decode())) for each in (act.before, act.after))
    return before.active_root_id, after.active_root_id


def _field_changes(acts: list[tuple[int, NamedAct]]) -> Iterator[bytes]:
    for at, act in acts:
        if not act.message_ids and act.before is not None and act.after is not None:
            before, after = (exact.loads(each.decode()) for each in (act.before, act.after))
            yield history.change_line(before, after, at, log.Act(act.id, act.what))


def _line(record: Record, at: int, act: log.Act | None = None) -> bytes:
    return log.seal(log.body_of(record), at, act)
