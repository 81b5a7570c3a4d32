"""One thread's own fields in a database: what `thread.json` is in a folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from webapp.chat.messages import Thread, is_id
from webapp.errors import BadInput, Damaged
from webapp.threads import exact
from webapp.threads.folders import not_found
from webapp.threads.store import DamagedThread


def data(db: sqlite3.Connection, thread_id: str) -> bytes:
    """The text of the fields. Raises NotFound."""
    return text(db, checked(thread_id))


def text(db: sqlite3.Connection, key: str) -> bytes:
    """The same for a thread in the trash too, by its key."""
    found = db.execute("SELECT data FROM threads WHERE id = ?", (key,)).fetchone()
    if found is None:
        raise not_found()
    return as_bytes(found[0])


def numbers(db: sqlite3.Connection, thread_id: str) -> tuple[int, int]:
    """`revision`, which counts changes of the messages, and `settled`. Raises NotFound."""
    found = db.execute(
        "SELECT revision, settled FROM threads WHERE id = ?", (checked(thread_id),)
    ).fetchone()
    if found is None:
        raise not_found()
    return found[0], found[1]


def exists(db: sqlite3.Connection, key: str) -> bool:
    return db.execute("SELECT 1 FROM threads WHERE id = ?", (key,)).fetchone() is not None


def insert(db: sqlite3.Connection, thread: Thread) -> bool:
    """False, and nothing done, when the id is known. Raises NotFound for what is no id."""
    added = db.execute(
        "INSERT OR IGNORE INTO threads (id, data, created_at, updated_at) VALUES (?, ?, ?, ?)",
        (checked(thread.id), encoded(thread).decode(), thread.created, thread.updated),
    )
    return added.rowcount == 1


def save(db: sqlite3.Connection, thread: Thread) -> bytes:
    """Returns the text that is stored now. Raises BadInput."""
    text = encoded(thread)
    db.execute(
        "INSERT INTO threads (id, data, created_at, updated_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at,"
        " updated_at = excluded.updated_at",
        (thread.id, text.decode(), thread.created, thread.updated),
    )
    return text


def decoded(thread_id: str, text: bytes) -> Thread:
    """The row's id counts, whatever its data says. Raises Damaged."""
    try:
        value = exact.loads(text.decode("utf-8"))
    except ValueError:
        value = None
    if not isinstance(value, Mapping):
        raise Damaged(
            f"The entry of the thread {thread_id} is damaged.",
            "Its messages can be read; stop Strata and run `strata doctor --repair`.",
        )
    return Thread({**value, "id": thread_id})


def encoded(thread: Thread) -> bytes:
    """Raises BadInput."""
    try:
        return exact.encoded(exact.dumps(thread.data))
    except ValueError:
        raise BadInput("This thread's fields are nested too deeply to be saved.") from None


def listed(name: bytes, text: bytes, updated: object) -> Thread | DamagedThread:
    thread_id = name.decode("utf-8", "replace")
    try:
        return decoded(thread_id, text)
    except Damaged as error:
        moment = float(updated) if isinstance(updated, (int, float)) else 0.0
        return DamagedThread(thread_id, str(error), moment)


def checked(thread_id: str) -> str:
    """Raises NotFound for what is no id."""
    if not is_id(thread_id):
        raise not_found()
    return thread_id


def as_bytes(found: object) -> bytes:
    """What stands in `data`, whatever another program put there."""
    if isinstance(found, bytes):
        return found
    return b"" if found is None else str(found).encode()
