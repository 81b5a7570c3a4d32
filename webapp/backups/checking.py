"""Reading everything in a folder of backups again, and saying what damage would cost."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from webapp.backups.objects import Objects
from webapp.backups.states import DATA, MODELS, Entry, State
from webapp.backups.vault import Vault
from webapp.engines.progress import Meter, Progress, silent
from webapp.moments import long_date
from webapp.terminal import printable
from webapp.threads import about
from webapp.threads.database import FILE as DATABASE
from webapp.threads.findings import counted, told
from webapp.threads.folders import ABOUT, TRASHED

_STAGE: Final = "reading every backup again"
_MOST: Final = 12
_WORDS: Final = {"threads": "thread", "trash": "deleted thread", "projects": "project"}


@dataclass
class Check:
    """`damaged` are pieces that are missing or hold something else; `findings` are sentences."""

    backups: int = 0
    pieces: int = 0
    size: int = 0
    damaged: set[str] = field(default_factory=set)
    findings: list[str] = field(default_factory=list)


def check(vault: Vault, progress: Progress = silent, only: Collection[str] | None = None) -> Check:
    """All pieces are read, or `only` these. The caller holds `vault`. Raises StorageFailed when it
    cannot be read at all."""
    listing = vault.listing()
    wanted = {digest: size for state in listing.states for digest, size in state.pieces().items()}
    found = Check(len(listing.states), len(wanted), sum(wanted.values()))
    meter, done = Meter(progress, "Check", threading.Event()), 0
    for digest, size in sorted(wanted.items()):
        if (only is None or digest in only) and vault.objects.read(digest) is None:
            found.damaged.add(digest)
        done += size
        meter.report(_STAGE, done, found.size)
    found.findings += [str(error) for error in listing.problems.values()]
    for state in listing.states:
        hit = [each for each in state.files if found.damaged.intersection(each.pieces)]
        lines = what_is_hit(hit, state, vault.objects)
        found.findings += [f"Backup of {long_date(state.made)}: {line}" for line in lines]
    return found


def what_is_hit(hit: Iterable[Entry], state: State, objects: Objects) -> list[str]:
    """A sentence for each thread, project or other place that has damaged files."""
    by_place: dict[str, list[str]] = {}
    for entry in hit:
        place, rest = _place(entry.path)
        by_place.setdefault(place, []).append(rest)
    known = _Contents(state, objects)
    lines = []
    for place, rests in sorted(by_place.items()):
        names = [_called(place, rest, known) for rest in rests]
        all_threads = " All threads are in it." if DATABASE in rests else ""
        damage = told(names, "file", "is damaged", "are damaged")
        lines.append(printable(f"{_named(place, known)}: {damage}{all_threads}"))
    more = len(lines) - _MOST
    return [*lines[:_MOST], *([f"And {counted(more, 'other place')}."] if more > 0 else [])]


def _place(path: str) -> tuple[str, str]:
    """What a file belongs to, and its name there."""
    top, *parts = path.split("/")
    if top == MODELS:
        return "the models", "/".join(parts)
    if parts[0] in _WORDS and len(parts) > 2:
        return "/".join(parts[:2]), "/".join(parts[2:])
    return "the data directory", "/".join(parts)


def _named(place: str, known: _Contents) -> str:
    kind, _, key = place.partition("/")
    if kind not in _WORDS:
        return place
    if kind == "projects":
        title = known.name_in(f"{place}/project.json")
    else:
        title = about.title_in(known.of(f"{place}/{ABOUT}"))
    trashed = TRASHED.fullmatch(key)
    id = trashed[2] if trashed else key
    return f"{_WORDS[kind]} “{title}” ({id})" if title else f"{_WORDS[kind]} {id}"


def _called(place: str, rest: str, known: _Contents) -> str:
    """A file's name, with that which people gave it if it was attached."""
    folder, _, name = rest.rpartition("/")
    called = known.name_in(f"{place}/{folder}/about.json") if folder.startswith("files/") else ""
    return f"{name} of “{called}”" if called else rest


class _Contents:
    """What whole files of the data directory hold."""

    def __init__(self, state: State, objects: Objects) -> None:
        self._files = {entry.path: entry for entry in state.files}
        self._objects = objects

    def of(self, path: str) -> bytes:
        """Empty when it is not there, or not whole."""
        entry = self._files.get(f"{DATA}/{path}")
        pieces = [self._objects.read(digest) for digest in entry.pieces] if entry else []
        return b"" if None in pieces else b"".join(each or b"" for each in pieces)

    def name_in(self, path: str) -> str:
        try:
            return str(json.loads(self.of(path))["name"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""
