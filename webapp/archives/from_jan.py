"""A data folder of Jan, as it is or in a zip: `threads/<id>/thread.json` and `messages.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from webapp.archives.come import AssistantCome, Come, DamagedCome, Source, ThreadCome
from webapp.archives.folder_entries import FolderEntries
from webapp.archives.json_text import LARGEST_ITEM, loaded
from webapp.archives.loose import mapping
from webapp.archives.stock import of_nobody
from webapp.chat.assistant_migrations import migrated, version_in
from webapp.chat.messages import Thread, is_id
from webapp.documents.files import Stream
from webapp.errors import BadInput
from webapp.threads import about, log
from webapp.threads.assistant_files import FILE, FOLDER, MARKER
from webapp.threads.findings import counted
from webapp.threads.folders import ABOUT, LOG
from webapp.threads.jan import THREADS, place_in
from webapp.threads.jan_shapes import message_as_kept, thread_as_kept
from webapp.threads.replay import Replay

PROGRAM: Final = "Jan"
_PLACE: Final = re.compile(
    rf"(?P<at>(?:.*/)?)(?P<kind>{THREADS}|{FOLDER})/(?P<id>[^/.][^/]*)/(?P<name>[^/]+)"
)
_WANTED: Final = {THREADS: (ABOUT, LOG), FOLDER: (FILE,)}


class Entries(Protocol):
    """Files by their names, as a zip or a folder has them."""

    @property
    def names(self) -> list[str]: ...

    def size(self, name: str) -> int: ...

    def open(self, name: str) -> AbstractContextManager[Stream]: ...


def source_in(folder: Path, now_ms: int) -> Source:
    """Of Jan's own folder on this machine. Raises NotFound for another, BadInput for one that
    cannot be read."""
    place_in(folder)
    return _found(FolderEntries(folder, THREADS, FOLDER), now_ms)


def source_of(archive: Entries, now_ms: int) -> Source | None:
    """None for one with no thread of Jan in it."""
    found = _found(archive, now_ms)
    return found if found.total else None


def _found(archive: Entries, now_ms: int) -> Source:
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for name in archive.names:
        place = _PLACE.fullmatch(name)
        if place is not None and place["name"] in _WANTED[place["kind"]]:
            key = (place["kind"], place["at"], place["id"])
            found.setdefault(key, {})[place["name"]] = name
    total = sum(kind == THREADS for kind, _, _ in found)
    return Source(PROGRAM, partial(_read, archive, found, now_ms), total)


def _read(
    archive: Entries, found: Mapping[tuple[str, str, str], Mapping[str, str]], now_ms: int
) -> Iterator[Come]:
    for (kind, at, id), names in sorted(found.items()):
        try:
            if not is_id(id):
                yield DamagedCome(id, "Its id cannot be used here.")
            elif kind == THREADS:
                yield _thread(archive, id, names, now_ms)
            else:
                yield _assistant(archive, id, names[FILE], f"{at}{FOLDER}/{MARKER}")
        except BadInput as error:
            yield DamagedCome(id, str(error))


def _assistant(archive: Entries, id: str, name: str, marker: str) -> AssistantCome:
    was = version_in(_whole(archive, marker)[:100]) if marker in archive.names else 0
    return AssistantCome(id, migrated(_object(_whole(archive, name)), was))


def _thread(archive: Entries, id: str, names: Mapping[str, str], now_ms: int) -> ThreadCome:
    damaged: list[bytes] = []
    lines = _whole(archive, names[LOG]).splitlines(keepends=True) if LOG in names else []
    replayed = Replay(line.record for line in log.read(lines, damaged)).messages()
    messages = tuple(map(message_as_kept, replayed))
    notes = [f"{counted(len(damaged), 'line')} of it could not be read."] if damaged else []
    text = _whole(archive, names[ABOUT]) if ABOUT in names else b""
    try:
        fields = _object(text)
    except BadInput:
        notes.append("Its title and times were put together from the rest.")
        fields = about.salvaged(id, text, messages, now_ms).data
    metadata = of_nobody(mapping(fields.get("metadata")))
    thread = Thread({**of_nobody(fields), "id": id, "metadata": metadata})
    return ThreadCome(thread_as_kept(thread), messages, (), tuple(notes))


def _whole(archive: Entries, name: str) -> bytes:
    if archive.size(name) > LARGEST_ITEM:
        raise BadInput(f"It has more than {LARGEST_ITEM >> 20} MB.")
    pieces = []
    with archive.open(name) as stream:
        while piece := stream.read(1 << 20):
            pieces.append(piece)
    return b"".join(pieces)


def _object(data: bytes) -> Mapping[str, Any]:
    value = loaded(data)
    if not isinstance(value, Mapping):
        raise BadInput("It is not what it should be.")
    return value
