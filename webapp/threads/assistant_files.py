"""`assistants/<id>/assistant.json`, read and replaced whole, and brought up to date.

The folder's name is the id, whatever the file says. One damaged file never hides another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.chat.assistant import Assistant
from webapp.chat.assistant_migrations import CURRENT, migrated, version_in
from webapp.chat.messages import is_id
from webapp.errors import BadInput, Damaged, StrataError
from webapp.threads import exact

FOLDER: Final = "assistants"
FILE: Final = "assistant.json"
MARKER: Final = ".migration_version"
LARGEST_BYTES: Final = 4 * 2**20


def folders(data: Path) -> list[Path]:
    """Those with an assistant in them, also a damaged one. Raises StorageFailed."""
    place = data / FOLDER
    with durable.reading(place):
        if not place.is_dir():
            return []
        return [each for each in sorted(place.iterdir()) if has_file(each)]


def has_file(folder: Path) -> bool:
    """Also for a folder that cannot be looked into: reading it says why."""
    try:
        return (folder / FILE).exists()
    except OSError:
        return True


def load(folder: Path) -> Assistant:
    """Raises Damaged, or StorageFailed."""
    if not is_id(folder.name):
        raise _damaged(folder, "its folder has a name that cannot be used")
    path = folder / FILE
    with durable.reading(path):
        if path.stat().st_size > LARGEST_BYTES:
            raise _damaged(folder, f"{FILE} has more than {LARGEST_BYTES >> 20} MB")
        data = path.read_bytes()
    return Assistant({**_parsed(data, folder), "id": folder.name})


def _parsed(data: bytes, folder: Path) -> Mapping[str, Any]:
    """Raises Damaged."""
    try:
        value = exact.loads(data.decode("utf-8-sig"))
    except ValueError:
        raise _damaged(folder, f"{FILE} is damaged") from None
    if not isinstance(value, Mapping):
        raise _damaged(folder, f"{FILE} holds something other than an assistant")
    return value


def copy(folder: Path, target: Path, was: int) -> None:
    """From a data folder at version `was`; to the byte where nothing has to change since. Raises
    Damaged, or StorageFailed."""
    assistant = load(folder)
    fields = migrated(assistant.data, was)
    if fields is not assistant.data:
        save(target, fields)
        return
    with durable.reading(folder):
        data = (folder / FILE).read_bytes()
    _put(target, data)


def save(folder: Path, fields: Mapping[str, Any]) -> None:
    """Atomic and durable. Raises StorageFailed with the old file whole, or no folder left;
    BadInput for fields nested too deeply."""
    try:
        data = exact.encoded(exact.dumps(fields)) + b"\n"
    except ValueError:
        raise BadInput("This assistant's fields are nested too deeply to be saved.") from None
    _put(folder, data)


def _put(folder: Path, data: bytes) -> None:
    with durable.saving(folder):
        new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
    try:
        durable.replace(folder / FILE, data)
    except StrataError:
        with suppress(OSError):
            if new:
                folder.rmdir()
        raise


def version(data: Path) -> int:
    """That of the folder's assistants; 0 where the marker is missing or says nothing."""
    try:
        return version_in((data / FOLDER / MARKER).read_bytes()[:100])
    except OSError:
        return 0


def migrate(data: Path) -> list[str]:
    """Bring every assistant up to date, and note it once all are. Sentences about those that
    were left as they are: a damaged one is passed over, a disk that refuses is tried again at
    the next start."""
    was = version(data)
    if was >= CURRENT:
        return []
    complaints, refused = [], False
    for outcome in _each(data, lambda folder: _migrate(folder, was)):
        complaints.append(str(outcome))
        refused = refused or not isinstance(outcome, Damaged)
    if not refused:
        complaints += _note(data)
    return complaints


def _each(data: Path, act: Callable[[Path], None]) -> Iterator[StrataError]:
    """What went wrong with which."""
    try:
        found = folders(data)
    except StrataError as error:
        yield error
        return
    for folder in found:
        try:
            act(folder)
        except StrataError as error:
            yield error


def _migrate(folder: Path, was: int) -> None:
    assistant = load(folder)
    fields = migrated(assistant.data, was)
    if fields is not assistant.data:
        save(folder, fields)


def _note(data: Path) -> list[str]:
    marker = data / FOLDER / MARKER
    try:
        with durable.saving(marker):
            marker.parent.mkdir(parents=True, exist_ok=True)
        durable.replace(marker, b"%d\n" % CURRENT)
    except StrataError as error:
        return [str(error)]
    return []


def _damaged(folder: Path, problem: str) -> Damaged:
    return Damaged(
        f"The assistant {folder.name!r} was left out: {problem}.",
        "Mend or delete the file; the other assistants can be used.",
    )
