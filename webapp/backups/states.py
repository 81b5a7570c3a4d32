"""What one backup holds: a list of files, each with the sha256 of its pieces.

As text it is two lines: a JSON object, and the sha256 of that line, so that a list that was cut or
changed is never taken for one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from webapp.errors import Conflict, Damaged

FORMAT: Final = 1
PIECE: Final = 4 << 20
DATA: Final = "data"
MODELS: Final = "models"

# Size, time of the content, time of the entry, and number of a file: another one after a change.
Mark = tuple[int, int, int, int]


@dataclass(frozen=True)
class Entry:
    """A file. `path` begins with `data/` or `models/`; `pieces` are sha256 of PIECE bytes each, the
    last of what is left. With a `mark`, the file need not be read again as long as it has it."""

    path: str
    size: int
    mode: int
    mtime_ns: int
    pieces: tuple[str, ...]
    mark: Mark | None = None

    def sizes(self) -> list[tuple[str, int]]:
        """Each piece with how many bytes it has."""
        return [
            (digest, min(PIECE, self.size - number * PIECE))
            for number, digest in enumerate(self.pieces)
        ]


@dataclass(frozen=True)
class State:
    """`made` in milliseconds since 1970, `of` that data directory; `folders` are modes by path;
    `fresh` is how many bytes were not in an earlier backup."""

    made: int
    strata: str
    of: str
    files: tuple[Entry, ...]
    folders: Mapping[str, int]
    fresh: int = 0

    @property
    def name(self) -> str:
        return name_of(self.made)

    @property
    def size(self) -> int:
        return sum(entry.size for entry in self.files)

    def pieces(self) -> dict[str, int]:
        """All that it needs, with their sizes."""
        return {digest: size for entry in self.files for digest, size in entry.sizes()}

    def has_models(self) -> bool:
        return any(entry.path.startswith(f"{MODELS}/") for entry in self.files)


def name_of(made: int) -> str:
    """Sorts by time."""
    moment = datetime.fromtimestamp(made / 1000, UTC)
    return f"{moment:%Y%m%dT%H%M%S}.{made % 1000:03}Z"


def encode(state: State) -> bytes:
    value = {
        "format": FORMAT,
        "made": state.made,
        "strata": state.strata,
        "of": state.of,
        "fresh": state.fresh,
        "folders": dict(state.folders),
        "files": [_listed(entry) for entry in state.files],
    }
    line = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    return line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n"


def decode(data: bytes, name: str) -> State:
    """Raises Damaged, or Conflict for one of a newer Strata."""
    line, _, digest = data.partition(b"\n")
    if hashlib.sha256(line).hexdigest().encode() != digest.strip():
        raise _damaged(name)
    try:
        value = json.loads(line)
        if value["format"] > FORMAT:
            raise newer(f"The backup {name}")
        entries = tuple(_entry(each) for each in value["files"])
        folders = {_checked(path): int(mode) for path, mode in value["folders"].items()}
        words = str(value["strata"]), str(value["of"])
        return State(int(value["made"]), *words, entries, folders, int(value["fresh"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _damaged(name) from None


def newer(what: str) -> Conflict:
    return Conflict(f"{what} was made by a newer Strata.", "Use that one, or an even newer one.")


def _listed(entry: Entry) -> list[Any]:
    mark = list(entry.mark) if entry.mark else None
    return [entry.path, entry.size, entry.mode, entry.mtime_ns, list(entry.pieces), mark]


def _entry(value: Any) -> Entry:
    path, size, mode, mtime_ns, pieces, mark = value
    if type(size) is not int or size < 0 or len(pieces) != -(-size // PIECE):
        raise ValueError(path)
    if not all(isinstance(each, str) and len(each) == 64 and each.isalnum() for each in pieces):
        raise ValueError(path)
    known = tuple(mark) if mark else None
    return Entry(_checked(path), size, int(mode), int(mtime_ns), tuple(pieces), known)


def _checked(path: str) -> str:
    """One that stays below its folder on every system."""
    parts = path.split("/")
    strange = "\0" if os.name != "nt" else '\0\\:<>"|?*'
    if parts[0] not in (DATA, MODELS) or set(path) & set(strange):
        raise ValueError(path)
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError(path)
    return path


def _damaged(name: str) -> Damaged:
    return Damaged(
        f"The list of the backup {name} is damaged, so it cannot be restored.",
        "Use another one from that folder: `strata backup list` names them.",
    )
