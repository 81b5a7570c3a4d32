"""Uploaded files on disk: a folder for each, under an id of ours.

`original` is the file as it came, `pages.jsonl` its text with the places in it, `about.json` what
is known of it. A file appears with its folder's last name and goes with it, so it is there whole or
not at all: `.new-<id>` is on its way in, `.gone-<id>` on its way out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, Protocol

from webapp import durable
from webapp.chat.messages import is_id
from webapp.documents.document import Document
from webapp.documents.file_facts import FileFacts, Problem, from_json, to_json
from webapp.documents.names import UNNAMED, unused
from webapp.documents.parsing import refusals
from webapp.documents.parsing.limits import USUAL
from webapp.documents.parsing.lines import Assembly, lines_of
from webapp.documents.scope import Scope
from webapp.errors import Damaged, NotFound, Unreadable

ORIGINAL: Final = "original"
TEXT: Final = "pages.jsonl"
ABOUT: Final = "about.json"
NEW: Final = ".new-"
GONE: Final = ".gone-"
_PIECE: Final = 1 << 18
_BINARY: Final = getattr(os, "O_BINARY", 0)
_LOST: Final = Problem(
    "What Strata noted about this file cannot be read.", "Read it again, or delete it.", "damaged"
)


class Stream(Protocol):
    """What an upload comes from."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class Arrived:
    """The bytes of an upload, on disk but not yet in the list."""

    size: int
    sha256: str


def make_room(scope: Scope, file_id: str) -> None:
    """A folder for an upload, out of sight. StorageFailed."""
    folder = scope.folder / f"{NEW}{file_id}"
    with durable.saving(folder):
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True)
        for each in missing:
            durable.sync_directory(each.parent)


def receive(
    scope: Scope, file_id: str, stream: Stream, most: int, heard: Callable[[int], None]
) -> Arrived:
    """Store an upload where room was made. `heard` is told the bytes so far, and may raise.

    Unreadable for more than `most` bytes, StorageFailed when the disk refuses; nothing stays."""
    folder = scope.folder / f"{NEW}{file_id}"
    try:
        with durable.saving(folder):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
            descriptor = os.open(folder / ORIGINAL, flags, 0o666)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                arrived = _copied(stream, file.write, most, heard)
                os.fsync(file.fileno())
    except BaseException:
        discard(scope, file_id)
        raise
    return arrived


def keep(scope: Scope, facts: FileFacts) -> None:
    """Put what was received into the list. NotFound when its thread was deleted meanwhile."""
    folder = scope.folder / f"{NEW}{facts.id}"
    if not folder.is_dir():
        raise NotFound(
            "The thread or project this file was for has been deleted.", do="Attach it elsewhere."
        )
    durable.replace(folder / ABOUT, _encoded(facts))
    durable.move(folder, scope.folder / facts.id)


def discard(scope: Scope, file_id: str) -> None:
    """Forget what was received."""
    shutil.rmtree(scope.folder / f"{NEW}{file_id}", ignore_errors=True)


def load(scope: Scope) -> list[FileFacts]:
    """All in the list, oldest first; one whose facts are lost is `damaged`, the others live."""
    with durable.reading(scope.folder):
        try:
            folders = list(scope.folder.iterdir())
        except FileNotFoundError:  # the first file will make it
            folders = []
    found = [_facts(scope, each.name) for each in folders if is_id(each.name) and each.is_dir()]
    found.sort(key=lambda facts: (facts.added_ms, facts.id))
    return _named(found)


def save(scope: Scope, facts: FileFacts) -> None:
    """Whole or not at all. StorageFailed, also when the file was deleted meanwhile."""
    durable.replace(scope.folder / facts.id / ABOUT, _encoded(facts))


def original(scope: Scope, file_id: str) -> Path:
    """Where the file as it came is. NotFound when it is not."""
    path = scope.folder / file_id / ORIGINAL
    if not is_id(file_id) or not path.is_file():
        raise NotFound("The file is no longer there.", do="Attach it again.")
    return path


def original_facts(scope: Scope, file_id: str) -> FileFacts:
    """What can be told from the file alone. NotFound without it."""
    path = original(scope, file_id)
    with durable.reading(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        stat = os.fstat(file.fileno())
    return FileFacts(file_id, UNNAMED, stat.st_size, digest, stat.st_mtime_ns // 1_000_000)


def write_text(scope: Scope, file_id: str, document: Document) -> None:
    """Whole or not at all. StorageFailed."""
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in lines_of(document))
    data = b"".join(line.encode("utf-8", "surrogatepass") for line in lines)
    durable.replace(scope.folder / file_id / TEXT, data)


def has_text(scope: Scope, file_id: str) -> bool:
    return (scope.folder / file_id / TEXT).is_file()


def stage_on_disk(scope: Scope, file_id: str) -> Literal["received", "read"]:
    """From where a file that is not ready can go on."""
    return "read" if has_text(scope, file_id) else "received"


def text(scope: Scope, file_id: str) -> Document:
    """NotFound for a file that was not read, Damaged when its text is not whole."""
    path = scope.folder / file_id / TEXT
    if not is_id(file_id) or not has_text(scope, file_id):
        raise NotFound("There is no text of this file yet.", do="Wait until it is read.")
    assembly = Assembly(USUAL.characters)
    with durable.reading(path):
        data = path.read_bytes()
    try:
        for line in data.splitlines():
            if document := assembly.add(json.loads(line)):
                return document
    except (ValueError, KeyError, TypeError, Unreadable, RecursionError) as error:
        raise _torn() from error
    raise _torn()


def remove(scope: Scope, file_id: str) -> None:
    """Out of the list, for good; `leftovers` are then to be taken apart. StorageFailed with the
    file still there."""
    durable.move(scope.folder / file_id, scope.folder / f"{GONE}{file_id}")


def leftovers(scope: Scope) -> list[str]:
    """Ids of files that were removed but are still on the disk."""
    return [path.name.removeprefix(GONE) for path in scope.folder.glob(f"{GONE}*")]


def take_apart(scope: Scope, file_id: str) -> None:
    """What `remove` left of a file."""
    shutil.rmtree(scope.folder / f"{GONE}{file_id}", ignore_errors=True)


def clear_halves(scope: Scope) -> None:
    """What uploads left that a crash cut short; nobody was told that they were saved."""
    for path in scope.folder.glob(f"{NEW}*"):
        shutil.rmtree(path, ignore_errors=True)


def _copied(
    stream: Stream, write: Callable[[bytes], int], most: int, heard: Callable[[int], None]
) -> Arrived:
    digest, size = hashlib.sha256(), 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        if size > most:
            raise refusals.too_large(size, most)
        digest.update(piece)
        left = memoryview(piece)
        while left:
            left = left[write(left) :]  # type: ignore[arg-type]
        heard(size)
    return Arrived(size, digest.hexdigest())


def _named(found: list[FileFacts]) -> list[FileFacts]:
    """Those without a name get one that no other has."""
    taken = {facts.name for facts in found if facts.name}
    for number, facts in enumerate(found):
        if not facts.name:
            found[number] = replace(facts, name=unused(UNNAMED, taken))
            taken.add(found[number].name)
    return found


def _facts(scope: Scope, file_id: str) -> FileFacts:
    try:
        data = (scope.folder / file_id / ABOUT).read_text("utf-8")
        return from_json(file_id, json.loads(data))
    except (OSError, ValueError, RecursionError):
        added = 0
        with suppress(OSError):
            added = (scope.folder / file_id).stat().st_mtime_ns // 1_000_000
        return FileFacts(file_id, "", added_ms=added, stage="damaged", problem=_LOST)


def _encoded(facts: FileFacts) -> bytes:
    return json.dumps(to_json(facts)).encode("ascii") + b"\n"


def _torn() -> Damaged:
    return Damaged("The text kept of this file is damaged.", do="Read the file again.")
