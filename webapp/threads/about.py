"""`thread.json`: one thread's own fields, read and replaced whole."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.chat.messages import Message, Thread, new_thread
from webapp.chat.wording import title_from
from webapp.errors import BadInput, Damaged, StrataError
from webapp.threads import exact
from webapp.threads.folders import ABOUT
from webapp.threads.ownership import owner_in
from webapp.threads.store import TrashedThread

_TITLE: Final = re.compile(rb'"title"\s*:\s*("(?:[^"\\]|\\.)*")')


def load(folder: Path) -> Thread:
    """The folder's name is the id, whatever the file says. Raises Damaged, or StorageFailed."""
    path = folder / ABOUT
    with durable.reading(path):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise _damaged(folder.name, f"{ABOUT} is missing") from None
        except IsADirectoryError:
            raise _damaged(folder.name, f"{ABOUT} is a folder") from None
    return Thread({**_parsed(data, folder.name), "id": folder.name})


def save(folder: Path, thread: Thread, *, name: str = "") -> None:
    """Atomic and durable; `name` is the folder's, if it will have another. Raises StorageFailed,
    or BadInput, with the old file whole."""
    try:
        text = exact.dumps({**thread.data, "id": name or folder.name})
    except ValueError:
        raise BadInput("This thread's fields are nested too deeply to be saved.") from None
    durable.replace(folder / ABOUT, exact.encoded(text) + b"\n")


@contextmanager
def all_or_nothing(path: Path) -> Iterator[None]:
    """For what adds to a file and then replaces thread.json beside it: when that fails, what was
    added is taken back, also a file that was not there. The file is not replaced meanwhile. Raises
    StorageFailed."""
    old, size, is_new = text(path.parent), durable.size(path), not path.exists()
    try:
        yield
    except StrataError:
        # It has another text only when the disk did not even let us put back the old one.
        if text(path.parent) == old:
            durable.cut(path, size)
            if is_new:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
        raise


def trashed(thread_id: str, data: bytes, deleted_at: int) -> TrashedThread:
    """From the text of its own fields, whole or damaged."""
    try:
        owner = owner_in(Thread(_parsed(data, "")).metadata)
    except Damaged:
        owner = ""
    return TrashedThread(thread_id, title_in(data) or thread_id, deleted_at, owner)


def title_in(data: bytes) -> str:
    """The title in the text of a thread's own fields, whole or damaged; empty without one."""
    try:
        return Thread(_parsed(data, "")).title
    except Damaged:
        return _salvaged_title(data)


def salvaged(thread_id: str, fields: bytes, messages: Sequence[Message], now_ms: int) -> Thread:
    """Own fields for a thread whose own cannot be read: the title if it can be found, or the
    words of the first question, and the times of the messages."""
    asked = next((message.text for message in messages if message.role == "user"), "")
    times = [message.created_at / 1000 for message in messages if message.created_at > 0]
    created = min(times, default=now_ms / 1000)
    title = title_in(fields) or title_from(asked)
    thread = new_thread(id=thread_id, title=title, created=created)
    return thread.with_fields(updated=max(times, default=created))


def text(folder: Path) -> bytes:
    """What thread.json holds, whole or damaged; empty when it is missing or no file. Raises
    StorageFailed."""
    path = folder / ABOUT
    with durable.reading(path):
        data = path.read_bytes() if path.exists() and not path.is_dir() else b""
    return data.removeprefix(codecs.BOM_UTF8).strip()


def _parsed(data: bytes, name: str) -> Mapping[str, Any]:
    try:
        value = exact.loads(data.decode("utf-8-sig"))
    except ValueError:
        raise _damaged(name, f"{ABOUT} is damaged") from None
    if not isinstance(value, Mapping):
        raise _damaged(name, f"{ABOUT} holds something other than a thread")
    return value


def _salvaged_title(data: bytes) -> str:
    found = _TITLE.search(data)
    try:
        value = exact.loads(found[1].decode("utf-8", "replace")) if found else ""
    except ValueError:
        return ""
    return str(value)


def _damaged(name: str, problem: str) -> Damaged:
    return Damaged(
        f"{problem} in the thread folder {name}.",
        "Its messages can be read; mend or replace the file to use the thread again.",
    )
