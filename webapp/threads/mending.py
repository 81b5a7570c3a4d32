"""`strata doctor --repair`: what can be put right is, after a copy was made. No word is deleted:
what cannot be read is kept in the copy, and in `messages.damaged` of its thread."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.chat.messages import Thread
from webapp.errors import Damaged
from webapp.threads import (
    about,
    backend,
    log,
    named_acts,
    salvage,
    thread_row,
    undo,
)
from webapp.threads.database import FILE, Database
from webapp.threads.doctor import Examination, examine, leftovers
from webapp.threads.folders import ABOUT, DAMAGED, HISTORY, LOG, fresh_place, holding_threads
from webapp.threads.logfile import LogFile
from webapp.threads.named_acts import NamedAct
from webapp.threads.rows import ThreadRows
from webapp.threads.tree_checkup import Mend, mend

_ACT: Final = "Mended by strata doctor"
_FILES: Final = (ABOUT, LOG, HISTORY, DAMAGED)
_DATABASE: Final = (FILE, f"{FILE}-wal", f"{FILE}-shm")


@dataclass(frozen=True)
class Repair:
    """`copy` is where everything is as it was; None when there was nothing to mend."""

    before: Examination
    after: Examination
    copy: Path | None


def repair(root: Path, clock_ms: Callable[[], int]) -> Repair:
    """The caller holds the instance lock. Raises as `examine` does."""
    before = examine(root)
    damaged = {finding.where for finding in before.findings if finding.mendable}
    if not damaged:
        return Repair(before, before, None)
    now = clock_ms()
    copy = fresh_place(root, "repaired", now)
    with durable.saving(copy):
        copy.mkdir()
        for path in leftovers(root):
            kept = copy / path.relative_to(root)
            kept.parent.mkdir(parents=True, exist_ok=True)
            path.replace(kept)
        if backend.kind_of(root) == "jsonl":
            _mend_folders(root, damaged, copy, now)
        elif (root / FILE).exists():
            _mend_database(root, damaged, copy, now)
    return Repair(before, examine(root), copy)


# --- directories ---


def _mend_folders(root: Path, damaged: set[str], copy: Path, now: int) -> None:
    for key, folder in list(holding_threads(root)):
        if key in damaged:
            _copy_files(folder, copy / folder.parent.name / key, _FILES)
            _mend_folder(folder, now)


def _mend_folder(folder: Path, now: int) -> None:
    file = LogFile(folder)
    if file.damage.lines or file.damage.repeated:
        file.rewrite(now)
        file = LogFile(folder)
    messages = file.replay.messages()
    try:
        thread = about.load(folder)
    except Damaged:
        thread = about.salvaged(folder.name, about.text(folder), messages, now)
        about.save(folder, thread)
    found = mend(messages, thread.active_root_id)
    if found.records:
        file.append(found.records, now, log.Act(secrets.token_hex(8), _ACT), durably=True)
    if found.active_root != thread.active_root_id:
        about.save(folder, _showing(thread, found))


def _copy_files(source: Path, target: Path, names: Sequence[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (source / name).exists():
            shutil.copy2(source / name, target / name)


# --- a database ---


def _mend_database(root: Path, damaged: set[str], copy: Path, now: int) -> None:
    _copy_files(root, copy, _DATABASE)
    if FILE in damaged:
        _replace_database(root, copy)
        damaged = {finding.where for finding in examine(root).findings if finding.mendable}
    with closing(Database(root / FILE)) as database, database.writing() as db:
        for key in sorted(damaged - {FILE}):
            if thread_row.exists(db, key):
                _mend_rows(db, key, copy, now)


def _replace_database(root: Path, copy: Path) -> None:
    """By one with what can be read of the copy. An old write-ahead log must not meet a new
    file, so that one goes first."""
    new = root / f"{FILE}.new"
    salvage.salvage(copy / FILE, new)
    for name in _DATABASE[1:]:
        (root / name).unlink(missing_ok=True)
    new.replace(root / FILE)
    durable.sync_directory(root)


def _mend_rows(db: sqlite3.Connection, key: str, copy: Path, now: int) -> None:
    rows = ThreadRows(db, key)
    _put_aside(rows, copy / "threads" / key, now)
    messages = [message for row in rows.stored() if (message := row.message())]
    fields = thread_row.text(db, key)
    try:
        thread = thread_row.decoded(key, fields)
    except Damaged:
        thread = about.salvaged(key, fields, messages, now)
        thread_row.save(db, thread.with_fields(id=key))
    found = mend(messages, thread.active_root_id)
    act = NamedAct(_ACT, [undo.id_of(record) for record in found.records])
    for record in found.records:
        rows.apply(record, now, act.id)
    if found.records:
        named_acts.add(db, key, now, act)
    if found.active_root != thread.active_root_id:
        thread_row.save(db, _showing(thread, found).with_fields(id=key))


def _put_aside(rows: ThreadRows, place: Path, now: int) -> None:
    """Entries that are no messages leave the thread; their bytes are kept beside the copy."""
    unreadable = [row for row in rows.stored() if row.message() is None]
    if unreadable:
        place.mkdir(parents=True)
        (place / DAMAGED).write_bytes(b"".join(row.data + b"\n" for row in unreadable))
    for row in unreadable:
        rows.remove(row, now)


# --- either ---


def _showing(thread: Thread, found: Mend) -> Thread:
    return thread.with_metadata({"activeRootId": found.active_root})
