"""Threads and assistants from a data folder of Jan, and back into one of the same shape.

Jan keeps `threads/<id>/thread.json` and `messages.jsonl`, one whole message a line, and
`assistants/<id>/assistant.json`. Nothing in a folder that is read is changed, and nothing that
is there already is overwritten, so both can be done again.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.chat.messages import Message, Thread, is_id
from webapp.chat.records import Put
from webapp.errors import Damaged, NotFound, StrataError
from webapp.threads import about, assistant_files, exact, log
from webapp.threads.findings import counted
from webapp.threads.folders import ABOUT, LOG
from webapp.threads.jan_shapes import message_as_kept, thread_as_kept
from webapp.threads.logfile import LogFile
from webapp.threads.store import DamagedThread, ThreadStore

THREADS: Final = "threads"


@dataclass
class Transfer:
    """What came, and what was there before. `complaints` are sentences about what was damaged or
    could not come along."""

    threads: int = 0
    messages: int = 0
    assistants: int = 0
    known: int = 0
    complaints: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Source:
    thread: Thread
    messages: tuple[Message, ...]


def bring_in(source: Path, store: ThreadStore, data: Path, now_ms: int, *, dry: bool) -> Transfer:
    """Threads of the Jan folder `source` into `store`, its assistants into the data directory.

    A thread that is known, also in the trash, is left alone, unless it holds just the beginning
    of the one in the folder and nothing of it was deleted: then the rest follows. `dry` only
    counts. Raises NotFound for what is no folder of Jan, StorageFailed when nothing more can be
    saved."""
    folders = _thread_folders(source)
    done = Transfer()
    listed = {entry.id for entry in store.list_threads()}
    trashed = {entry.id for entry in store.trash()}
    for folder in folders:
        found = _read(folder, now_ms, done)
        if found is None:
            continue
        if found.thread.id in trashed:
            done.known += 1
        elif found.thread.id in listed:
            _continue(found, store, done, dry=dry)
        else:
            _add(found, store, done, dry=dry)
    _copy_assistants(source, data, done, dry=dry)
    return done


def take_out(store: ThreadStore, data: Path, target: Path, now_ms: int) -> Transfer:
    """All listed threads and the assistants into `target`, as Jan reads them. What is there is
    left as it is. Raises StorageFailed."""
    done = Transfer()
    for entry in store.list_threads():
        folder = target / THREADS / entry.id
        if not is_id(entry.id):
            done.complaints.append(f"{entry.id}: it has no id that could name a folder.")
        elif folder.exists():
            done.known += 1
        else:
            _write(folder, entry, store, now_ms, done)
    _copy_assistants(data, target, done, dry=False)
    return done


def place_in(source: Path) -> Path:
    """Where a data folder of Jan has its threads. Raises NotFound for another, StorageFailed."""
    place = source / THREADS
    with durable.reading(place):
        if place.is_dir():
            return place
    raise NotFound(
        f"There are no threads in {source}.",
        f"Name the data folder of Jan, the one with a folder “{THREADS}” in it.",
    )


def _thread_folders(source: Path) -> list[Path]:
    place = place_in(source)
    with durable.reading(place):
        return [each for each in sorted(place.iterdir()) if each.is_dir() and each.name[0] != "."]


def _read(folder: Path, now_ms: int, done: Transfer) -> _Source | None:
    """A thread with what is whole of it; None, and a complaint, when there is nothing."""
    if not ((folder / ABOUT).exists() or (folder / LOG).exists()):
        return None
    if not is_id(folder.name):
        done.complaints.append(f"{folder.name!r}: its id cannot be used here; it was left out.")
        return None
    try:
        file = LogFile(folder)
        messages = tuple(map(message_as_kept, file.replay.messages()))
        thread = thread_as_kept(_fields(folder, messages, now_ms, done))
    except StrataError as error:
        done.complaints.append(f"{folder.name}: {error} It was left out.")
        return None
    if file.damage.lines:
        what = counted(len(file.damage.lines), "line")
        done.complaints.append(f"{folder.name}: {what} could not be read and was left out.")
    return _Source(thread, messages)


def _fields(folder: Path, messages: Sequence[Message], now_ms: int, done: Transfer) -> Thread:
    try:
        return about.load(folder)
    except Damaged:
        what = f"{ABOUT} could not be read; the title and times were put together from the rest."
        done.complaints.append(f"{folder.name}: {what}")
        return about.salvaged(folder.name, about.text(folder), messages, now_ms)


def _add(found: _Source, store: ThreadStore, done: Transfer, *, dry: bool) -> None:
    done.threads += 1
    done.messages += len(found.messages)
    if not dry:
        store.create_thread(found.thread, found.messages)


def _continue(found: _Source, store: ThreadStore, done: Transfer, *, dry: bool) -> None:
    """The rest of a thread whose coming was cut short, or that went on since."""
    done.known += 1
    there = [message.id for message in store.read(found.thread.id).messages]
    rest = found.messages[len(there) :]
    touched = {id for change in store.changes(found.thread.id) for id in change.message_ids}
    begins_alike = there == [message.id for message in found.messages[: len(there)]]
    if rest and begins_alike and not touched:
        done.messages += len(rest)
        if not dry:
            store.write(found.thread.id, [Put(message) for message in rest])


def _write(
    folder: Path, entry: Thread | DamagedThread, store: ThreadStore, now_ms: int, done: Transfer
) -> None:
    contents = store.read(entry.id)
    if isinstance(entry, DamagedThread):
        done.complaints.append(f"{entry.id}: {entry.problem}")
        thread = about.salvaged(entry.id, b"", contents.messages, now_ms)
    else:
        thread = entry
    done.complaints += [f"{entry.id}: {notice}" for notice in contents.notices]
    lines = [log.body_of(Put(message)) + b"}\n" for message in contents.messages]
    fields = exact.encoded(exact.dumps({**thread.data, "id": entry.id}))
    beside = folder.with_name(f".{folder.name}.new")
    with durable.saving(folder):
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        durable.replace(beside / LOG, b"".join(lines))
        durable.replace(beside / ABOUT, fields + b"\n")
        beside.rename(folder)
        durable.sync_directory(folder.parent)
    done.threads += 1
    done.messages += len(lines)


def _copy_assistants(source: Path, target: Path, done: Transfer, *, dry: bool) -> None:
    """They come along as they are at the version of this data folder, and the target is marked
    with that version first, so that nobody migrates them a second time."""
    was = assistant_files.version(source)
    if not dry:
        done.complaints += assistant_files.migrate(target)
    for folder in assistant_files.folders(source):
        there = target / assistant_files.FOLDER / folder.name
        if assistant_files.has_file(there):
            continue
        try:
            assistant_files.load(folder)
        except Damaged as error:
            done.complaints.append(error.what)
            continue
        done.assistants += 1
        if not dry:
            assistant_files.copy(folder, there, was)
