"""In which state the messages of each thread are on disk: a short text that is another one after
every change, for whatever is derived from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from webapp.threads.backend import kind_of
from webapp.threads.database import FILE
from webapp.threads.folders import LOG


def states(root: Path, thread_ids: list[str]) -> dict[str, str]:
    """By thread id; one that has no messages yet is in the state "". Raises Damaged or
    StorageFailed when it cannot be told which store is used."""
    if kind_of(root) == "sqlite":
        return _of_rows(root / FILE)
    return {thread_id: _of_log(root / "threads" / thread_id / LOG) for thread_id in thread_ids}


def _of_log(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return ""
    return f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ino}"


def _of_rows(path: Path) -> dict[str, str]:
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT id, revision FROM threads WHERE deleted_at IS NULL")
        return {thread_id: str(revision) for thread_id, revision in rows}
    return {}
