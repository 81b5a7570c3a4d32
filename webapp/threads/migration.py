"""All threads of a data directory moved to the other kind of store: copied beside, counted,
compared message by message, and only then put in place. The old data stays.

What is copied: the list and the trash, damaged threads as they are, and the history of 30 days,
so that undo goes on working.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.chat.messages import Message, is_id
from webapp.chat.records import Put
from webapp.errors import Damaged, StorageFailed
from webapp.threads import about, backend, exact, log, thread_row, to_jsonl, to_sqlite
from webapp.threads.backend import Kind
from webapp.threads.database import FILE, Database
from webapp.threads.findings import counted
from webapp.threads.folders import (
    ABOUT,
    DAMAGED,
    HISTORY,
    LOG,
    TRASHED,
    fresh_place,
    holding_threads,
    misnamed,
)
from webapp.threads.logfile import LogFile
from webapp.threads.rows import ThreadRows

STAGING: Final = "migrating"
_OURS: Final = (ABOUT, LOG, HISTORY, DAMAGED)
_DATABASE: Final = (FILE, f"{FILE}-wal", f"{FILE}-shm")


@dataclass
class Report:
    """What was moved. `complaints` are sentences about threads that were damaged before; `aside`
    is where the data of an earlier migration was put, if there was any."""

    threads: int = 0
    trashed: int = 0
    messages: int = 0
    complaints: list[str] = field(default_factory=list)
    aside: Path | None = None


@dataclass(frozen=True)
class _State:
    """What must be the same on both sides; `unreadable` counts what could not be compared."""

    fields: bytes
    messages: tuple[bytes, ...]
    unreadable: int


def migrate(root: Path, to: Kind, clock_ms: Callable[[], int]) -> Report | None:
    """The caller holds the instance lock. None, and nothing done, if it is of that kind already.
    Raises StorageFailed or Damaged with everything as it was."""
    was = backend.kind_of(root)
    if was == to:
        return None
    backend.choose(root, was)  # said before there is a second store beside it
    staging, now = root / STAGING, clock_ms()
    shutil.rmtree(staging, ignore_errors=True)
    try:
        with durable.saving(staging):
            staging.mkdir()
            if to == "sqlite":
                report = _copy_to_sqlite(root, staging, now)
                report.aside = _place_database(root, staging, now)
            else:
                report = _copy_to_jsonl(root, staging, now)
                report.aside = _place_folders(root, staging, now)
        backend.choose(root, to)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return report


def _copy_to_sqlite(root: Path, staging: Path, now: int) -> Report:
    report = Report()
    with closing(Database(staging / FILE)) as database:
        for _, folder in holding_threads(root):
            with database.writing(durably=False) as db:
                to_sqlite.copy(folder, db, now)
        database.shrink()
        with database.reading() as db:
            copied = {name.decode() for (name,) in db.execute("SELECT id FROM threads")}
            for key, folder in holding_threads(root):
                copied.discard(key)
                _compare(report, key, _folder_state(folder), _row_state(db, key))
    _check_count(copied)
    for folder in misnamed(root):
        report.complaints.append(
            f"The folder {folder.name!r} is not named by a thread id; it stays where it is."
        )
    return report


def _copy_to_jsonl(root: Path, staging: Path, now: int) -> Report:
    report = Report()
    with closing(Database(root / FILE)) as database, database.reading() as db:
        for key in _keys(db, report):
            to_jsonl.copy(db, key, _folder(staging, key), now)
        copied = dict(holding_threads(staging))
        for key in _keys(db, Report()):
            state = _folder_state(copied.pop(key, _folder(staging, key)))
            _compare(report, key, _row_state(db, key), state)
    _check_count(copied)
    return report


def _keys(db: sqlite3.Connection, report: Report) -> Iterator[str]:
    for (name,) in db.execute("SELECT id FROM threads ORDER BY id").fetchall():
        key = name.decode("utf-8", "replace")
        if is_id(key) or TRASHED.fullmatch(key):
            yield key
        else:
            report.complaints.append(
                f"The thread {key!r} has no id that can name a folder; it stays where it is."
            )


def _folder(root: Path, key: str) -> Path:
    return root / ("trash" if "." in key else "threads") / key


def _folder_state(folder: Path) -> _State:
    file = LogFile(folder)
    fields = about.text(folder)
    return _State(_same(fields), _digests(file.replay.messages()), len(file.damage.lines))


def _row_state(db: sqlite3.Connection, key: str) -> _State:
    messages = [row.message() for row in ThreadRows(db, key).stored()]
    whole = [message for message in messages if message is not None]
    fields = thread_row.text(db, key)
    return _State(_same(fields), _digests(whole), len(messages) - len(whole))


def _same(fields: bytes) -> bytes:
    """Spaces between the fields may differ."""
    try:
        return exact.encoded(exact.dumps(exact.loads(fields.decode("utf-8"))))
    except ValueError:
        return fields.strip()


def _digests(messages: Iterable[Message]) -> tuple[bytes, ...]:
    return tuple(hashlib.sha256(log.body_of(Put(message))).digest() for message in messages)


def _compare(report: Report, key: str, before: _State, after: _State) -> None:
    if (before.fields, before.messages) != (after.fields, after.messages):
        raise StorageFailed(
            f"The copy of the thread {key} is not equal to it; everything stays as it was.",
            "Run `strata doctor`, then try again.",
        )
    report.threads += "." not in key
    report.trashed += "." in key
    report.messages += len(before.messages)
    try:
        thread_row.decoded(key, before.fields)
    except Damaged:
        report.complaints.append(
            f"{key}: its own fields cannot be read; they were copied as they are."
        )
    if before.unreadable:
        what = counted(before.unreadable, "line")
        report.complaints.append(f"{key}: {what} could not be read and stayed in the old data.")


def _check_count(left_over: Iterable[str]) -> None:
    for key in left_over:
        raise StorageFailed(
            f"The copy has a thread {key} that was not there; everything stays as it was.",
            "Try again.",
        )


def _place_database(root: Path, staging: Path, now: int) -> Path | None:
    aside = fresh_place(root, "set-aside", now)
    old = [root / name for name in _DATABASE if (root / name).exists()]
    for path in old:
        aside.mkdir(exist_ok=True)
        path.replace(aside / path.name)
    descriptor = os.open(staging / FILE, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    (staging / FILE).replace(root / FILE)
    durable.sync_directory(root)
    return aside if old else None


def _place_folders(root: Path, staging: Path, now: int) -> Path | None:
    """Only the files of the store give way: what else a thread has in its folder stays there."""
    aside = fresh_place(root, "set-aside", now)
    old = list(holding_threads(root))
    for _, folder in old:
        _move_files(folder, aside / folder.parent.name / folder.name)
    for _, folder in holding_threads(staging):
        _move_files(folder, root / folder.parent.name / folder.name)
    return aside if old else None


def _move_files(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name in _OURS:
        if (source / name).exists():
            (source / name).replace(target / name)
    durable.sync_directory(target)
    durable.sync_directory(target.parent)
    if not any(source.iterdir()):
        source.rmdir()
