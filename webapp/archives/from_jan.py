"""A zip with a data folder of Jan: `threads/<id>/thread.json` and `messages.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from webapp.archives.come import AssistantCome, Come, DamagedCome, Source, ThreadCome
from webapp.archives.json_text import LARGEST_ITEM, loaded
from webapp.archives.loose import mapping
from webapp.archives.safe_zip import SafeZip
from webapp.archives.stock import of_nobody
from webapp.chat.assistant_migrations import migrated, version_in
from webapp.chat.messages import Thread
from webapp.errors import BadInput
from webapp.threads import about, log
from webapp.threads.assistant_files import FILE, FOLDER, MARKER
from webapp.threads.findings import counted
from webapp.threads.folders import ABOUT, LOG
from webapp.threads.replay import Replay

PROGRAM: Final = "Jan"
_PLACE: Final = re.compile(
    rf"(?P<at>(?:.*/)?)(?P<kind>threads|{FOLDER})/(?P<id>[A-Za-z0-9_-]{{1,64}})/(?P<name>[^/]+)"
)
_WANTED: Final = {"threads": (ABOUT, LOG), FOLDER: (FILE,)}


def source_of(archive: SafeZip, now_ms: int) -> Source | None:
    """None for a zip with no thread of Jan in it."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for name in archive.names:
        place = _PLACE.fullmatch(name)
        if place is not None and place["name"] in _WANTED[place["kind"]]:
            key = (place["kind"], place["at"], place["id"])
            found.setdefault(key, {})[place["name"]] = name
    total = sum(kind == "threads" for kind, _, _ in found)
    return Source(PROGRAM, partial(_read, archive, found, now_ms), total) if total else None


def _read(
    archive: SafeZip, found: Mapping[tuple[str, str, str], Mapping[str, str]], now_ms: int
) -> Iterator[Come]:
    for (kind, at, id), names in sorted(found.items()):
        try:
            if kind == "threads":
                yield _thread(archive, id, names, now_ms)
            else:
                yield _assistant(archive, id, names[FILE], f"{at}{FOLDER}/{MARKER}")
        except BadInput as error:
            yield DamagedCome(id, str(error))


def _assistant(archive: SafeZip, id: str, name: str, marker: str) -> AssistantCome:
    was = version_in(_whole(archive, marker)[:100]) if marker in archive.names else 0
    return AssistantCome(id, migrated(_object(_whole(archive, name)), was))


def _thread(archive: SafeZip, id: str, names: Mapping[str, str], now_ms: int) -> ThreadCome:
    damaged: list[bytes] = []
    lines = _whole(archive, names[LOG]).splitlines(keepends=True) if LOG in names else []
    messages = Replay(line.record for line in log.read(lines, damaged)).messages()
    notes = [f"{counted(len(damaged), 'line')} of it could not be read."] if damaged else []
    text = _whole(archive, names[ABOUT]) if ABOUT in names else b""
    try:
        fields = _object(text)
    except BadInput:
        notes.append("Its title and times are put together from the rest.")
        fields = about.salvaged(id, text, messages, now_ms).data
    metadata = of_nobody(mapping(fields.get("metadata")))
    thread = Thread({**of_nobody(fields), "id": id, "metadata": metadata})
    return ThreadCome(thread, messages, (), tuple(notes))


def _whole(archive: SafeZip, name: str) -> bytes:
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
        raise BadInput("It is something else than it should be.")
    return value
