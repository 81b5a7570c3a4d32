"""Whose memory a saved state is: a model by its content, and all that changes what it computes.

A model file has gigabytes, so its sha256 is computed in pauses, once, and remembered by path, size
and time of change.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

_SLICE: Final = 8 << 20
_MOST_NOTES: Final = 100


class ModelHash:
    """The sha256 of the file as it was when this was made; `digest` is empty until known."""

    def __init__(self, model: Path, notes: Path) -> None:
        self._model = model
        self._notes = notes
        self._mark = _mark(model)
        self._sha256 = hashlib.sha256()
        self._done = 0
        known = _read(notes).get(str(model.absolute()), {})
        told = known.get("sha256") if known.get("mark") == self._mark else None
        self.digest = told if isinstance(told, str) and len(told) == 64 else ""

    def advance(self, wanted: Callable[[], bool]) -> None:
        """Go on until it is known or `wanted()`. A file that changed meanwhile has no digest."""
        if self.digest or self._mark is None:
            return
        with suppress(OSError):
            if self._hash_on(wanted):
                self._finish()

    def _hash_on(self, wanted: Callable[[], bool]) -> bool:
        with self._model.open("rb") as file:
            file.seek(self._done)
            while not wanted():
                block = file.read(_SLICE)
                if not block:
                    return True
                self._sha256.update(block)
                self._done += len(block)
        return False

    def _finish(self) -> None:
        if _mark(self._model) != self._mark:
            self._mark = None
            return
        self.digest = self._sha256.hexdigest()
        notes = dict(list(_read(self._notes).items())[-_MOST_NOTES:])
        notes[str(self._model.absolute())] = {"mark": self._mark, "sha256": self.digest}
        beside = self._notes.with_suffix(f".{os.getpid()}.new")
        self._notes.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside.write_text(json.dumps(notes), "ascii")
        beside.replace(self._notes)


def identity(model_digest: str, facts: Mapping[str, Any]) -> bytes:
    """32 bytes that differ when the model or any of the facts does."""
    told = json.dumps([model_digest, dict(facts)], sort_keys=True)
    return hashlib.sha256(told.encode("ascii")).digest()


def _mark(path: Path) -> list[int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return [facts.st_size, facts.st_mtime_ns]


def _read(notes: Path) -> dict[str, dict[str, Any]]:
    """What is written there as it should be; nothing of what is not."""
    try:
        known = json.loads(notes.read_text("ascii"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {path: facts for path, facts in known.items() if isinstance(facts, dict)}
