"""A look at every thread of a data directory: what is wrong, in words. Writes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.chat.messages import Message, Thread, is_id
from webapp.errors import Damaged, NotFound, StorageFailed
from webapp.threads import about, backend, instance, salvage, thread_row, tree_checkup
from webapp.threads.database import FILE, Database
from webapp.threads.findings import Finding, counted
from webapp.threads.folders import (
    ABOUT,
    DAMAGED,
    HISTORY,
    LOG,
    TEMPORARY,
    TRASHED,
    half_made,
    holding_threads,
    misnamed,
)
from webapp.threads.log_checkup import check
from webapp.threads.logfile import LogFile
from webapp.threads.migration import STAGING
from webapp.threads.rows import ThreadRows

_KNOWN: Final = {ABOUT, LOG, HISTORY, DAMAGED, "files"}
_LITTLE_ROOM: Final = 500_000_000


@dataclass
class Examination:
    """`notes` are worth knowing and nothing wrong."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    threads: int = 0
    messages: int = 0


def examine(root: Path) -> Examination:
    """Raises NotFound when there is no such directory, StorageFailed when it cannot be read."""
    if not root.is_dir():
        raise NotFound(f"There is no data directory at {root}.", "Name another with --data.")
    found = Examination()
    running = instance.holder(root)
    found.notes += [running] if running else []
    found.findings += _room(root)
    left = "was left behind by a write that was cut short."
    found.findings += [Finding(str(path.relative_to(root)), left) for path in leftovers(root)]
    try:
        kind = backend.kind_of(root)
    except Damaged as error:
        found.findings.append(Finding(backend.MARK, str(error), mendable=False))
        return found
    if kind == "jsonl":
        _examine_folders(root, found)
    else:
        _examine_database(root, found)
    return found


def leftovers(root: Path) -> list[Path]:
    """Temporary files of writes that never ended, and threads half made."""
    staged = [*([root / STAGING] if (root / STAGING).exists() else []), *half_made(root)]
    folders = [root, *(folder for _, folder in holding_threads(root))]
    with durable.reading(root):
        files = [each for folder in folders for each in sorted(folder.iterdir())]
    return staged + [each for each in files if each.suffix == TEMPORARY and each.is_file()]


def _room(root: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(root).free
    if free < _LITTLE_ROOM:
        what = f"only {free / 1e6:,.0f} MB are free on its disk; below that, nothing can be saved."
        yield Finding(str(root), what, mendable=False)


def _examine_folders(root: Path, found: Examination) -> None:
    for key, folder in holding_threads(root):
        found.threads += 1
        try:
            found.findings += [Finding(key, what) for what in _in_folder(folder, found)]
        except StorageFailed as error:
            found.findings.append(Finding(key, str(error), mendable=False))
        found.findings += _strangers(key, folder)
    for folder in misnamed(root):
        what = (
            "the name of this folder is not a thread id; rename it, with letters and digits only."
        )
        found.findings.append(Finding(folder.name, what, mendable=False))
    found.findings += _strays(root / "threads")


def _in_folder(folder: Path, found: Examination) -> list[str]:
    problems = []
    thread: Thread | None = None
    try:
        thread = about.load(folder)
    except Damaged as error:
        problems.append(error.what)
    path = folder / LOG
    with durable.reading(path):
        if path.exists():
            with path.open("rb") as lines:
                problems += check(lines).sentences()
    return problems + _in_tree(LogFile(folder).replay.messages(), thread, found)


def _in_tree(messages: Sequence[Message], thread: Thread | None, found: Examination) -> list[str]:
    found.messages += len(messages)
    return tree_checkup.problems(messages, thread.active_root_id if thread else None)


def _strangers(key: str, folder: Path) -> Iterator[Finding]:
    for each in sorted(folder.iterdir()):
        if each.name not in _KNOWN and each.suffix != TEMPORARY and each.name[0] != ".":
            yield Finding(key, f"{each.name} does not belong in this folder.", mendable=False)


def _strays(threads: Path) -> Iterator[Finding]:
    """What stands among the threads and is none."""
    with durable.reading(threads):
        found = sorted(threads.iterdir()) if threads.exists() else []
    for each in found:
        is_thread = each.is_dir() and {path.name for path in each.iterdir()} & _KNOWN
        if not is_thread and each.name[0] != ".":
            yield Finding(
                f"threads/{each.name}", "is not a thread and does not belong here.", False
            )


def _examine_database(root: Path, found: Examination) -> None:
    path = root / FILE
    if not path.exists() or not path.stat().st_size:
        what = "is not there, and all threads are in it; put it back from a backup."
        found.findings.append(Finding(FILE, what, mendable=False))
        return
    try:
        if salvage.is_whole(path):
            _examine_rows(path, found)
        else:
            found.findings.append(Finding(FILE, "the database is damaged, in whole or in part."))
    except StorageFailed as error:
        found.findings.append(Finding(FILE, str(error), mendable=False))


def _examine_rows(path: Path, found: Examination) -> None:
    with closing(Database(path)) as database, database.reading() as db:
        for (name,) in db.execute("SELECT id FROM threads ORDER BY id").fetchall():
            key = name.decode("utf-8", "replace")
            found.threads += 1
            if is_id(key) or TRASHED.fullmatch(key):
                rows, fields = ThreadRows(db, key), thread_row.text(db, key)
                problems = _in_rows(key, rows, fields, found)
                found.findings += [Finding(key, what) for what in problems]
            else:
                what = "this thread has no id that can be opened."
                found.findings.append(Finding(key, what, mendable=False))


def _in_rows(key: str, rows: ThreadRows, fields: bytes, found: Examination) -> list[str]:
    problems = []
    thread: Thread | None = None
    try:
        thread = thread_row.decoded(key, fields)
    except Damaged as error:
        problems.append(error.what)
    messages = [row.message() for row in rows.stored()]
    whole = [message for message in messages if message is not None]
    if len(whole) < len(messages):
        problems.append(f"{counted(len(messages) - len(whole), 'message')} cannot be read.")
    return problems + _in_tree(whole, thread, found)
