"""The assistants of a data directory: to make, copy, edit, delete, and choose as the default.

The built-in one is there without a file; an edited one stands in its place, and deleting that
brings it back as it came. What is deleted can be put back for 30 days.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.chat.assistant import BUILT_IN, LONGEST_NAME, Assistant
from webapp.chat.messages import is_id
from webapp.errors import Conflict, Damaged, NotFound, StorageFailed, StrataError
from webapp.threads import assistant_files as files

_DEFAULT: Final = ".default"
_TRASH: Final = ".trash"
_KEPT_MS: Final = 30 * 86_400_000


@dataclass(frozen=True)
class DamagedAssistant:
    """A folder whose file cannot be read; it can be deleted."""

    id: str
    problem: str


class Assistants:
    """`clock_ms` gives milliseconds since 1970, `new_id` a fresh id. Any thread may call."""

    def __init__(
        self, data: Path, *, clock_ms: Callable[[], int], new_id: Callable[[], str]
    ) -> None:
        self._data = data
        self._home = data / files.FOLDER
        self._clock_ms = clock_ms
        self._new_id = new_id
        self._lock = threading.Lock()

    def migrate(self) -> list[str]:
        """At the start: bring files up to date and forget what was deleted long ago. Sentences
        about what could not be."""
        with self._lock:
            self._forget_old()
            return files.migrate(self._data)

    # --- reading ---

    def all(self) -> list[Assistant | DamagedAssistant]:
        """The built-in one first, then by name. Raises StorageFailed."""
        found = {folder.name: _loaded(folder) for folder in files.folders(self._data)}
        found.setdefault(BUILT_IN.id, BUILT_IN)
        return sorted(found.values(), key=_place)

    def usable(self) -> list[Assistant]:
        """Those that a thread can have, in the same order; never none."""
        try:
            return [each for each in self.all() if isinstance(each, Assistant)] or [BUILT_IN]
        except StorageFailed:
            return [BUILT_IN]

    def get(self, assistant_id: str) -> Assistant:
        """Raises NotFound, Damaged, or StorageFailed."""
        folder = self._folder(assistant_id)
        if files.has_file(folder):
            return files.load(folder)
        if assistant_id == BUILT_IN.id:
            return BUILT_IN
        raise _not_found()

    def find(self, assistant_id: str) -> Assistant | None:
        """None where there is none that could be used."""
        try:
            return self.get(assistant_id)
        except StrataError:
            return None

    def default(self) -> Assistant:
        """What a new thread gets unless a person chooses another. There always is one."""
        try:
            chosen = (self._home / _DEFAULT).read_bytes()[:200].decode("ascii").strip()
        except (OSError, ValueError):
            chosen = BUILT_IN.id
        return self.find(chosen) or self.find(BUILT_IN.id) or BUILT_IN

    def is_free(self, assistant_id: str) -> bool:
        """Whether an assistant from elsewhere can come in under that id."""
        return not files.has_file(self._folder(assistant_id))

    def is_as_built_in(self, assistant_id: str) -> bool:
        """Whether it is the built-in one with no file in its place."""
        return assistant_id == BUILT_IN.id and not files.has_file(self._home / assistant_id)

    # --- writing: every method raises StorageFailed with nothing changed ---

    def make(self, fields: Mapping[str, Any]) -> Assistant:
        """A new one with checked `fields`. Durable."""
        data = {
            "id": self._new_id(),
            "object": "assistant",
            "created_at": self._clock_ms() / 1000,
            "model": "*",
            "tools": [],
            "file_ids": [],
        }
        with self._lock:
            return self._saved(Assistant(data).with_fields(fields))

    def take_in(self, assistant_id: str, fields: Mapping[str, Any]) -> bool:
        """One that comes from elsewhere, as it is kept today; False for an id that is in use.
        Durable. Raises NotFound for what is no id."""
        folder = self._folder(assistant_id)
        with self._lock:
            if files.has_file(folder):
                return False
            files.save(folder, {**fields, "id": assistant_id})
            return True

    def copy(self, assistant_id: str) -> Assistant:
        """Another one with all fields of that one, also unknown ones. Durable."""
        with self._lock:
            source = self.get(assistant_id)
            name = f"{source.name[: LONGEST_NAME - 7]} (copy)"
            own = {"id": self._new_id(), "name": name, "created_at": self._clock_ms() / 1000}
            return self._saved(Assistant({**source.data, **own}))

    def edit(self, assistant_id: str, fields: Mapping[str, Any], *, known: str) -> Assistant:
        """Checked `fields` in place of its own; `known` is the revision that they go back to.
        Durable. Raises Conflict when it was changed meanwhile."""
        with self._lock:
            there = self.get(assistant_id)
            if there.revision != known:
                raise Conflict(
                    "This assistant was changed in another window in the meantime.",
                    do="Look at it there, then save this one again to replace it.",
                )
            return self._saved(there.with_fields(fields))

    def delete(self, assistant_id: str) -> str:
        """Put away, durably; the name by which `restore` brings it back. Threads keep their
        snapshots. Raises NotFound."""
        folder = self._home / assistant_id
        with self._lock:
            if folder.parent != self._home or not files.has_file(folder):
                raise _not_found()
            name = f"{self._clock_ms()}.{assistant_id}"
            with durable.saving(folder, "Nothing was deleted"):
                (self._home / _TRASH).mkdir(exist_ok=True)
            durable.move(folder, self._home / _TRASH / name)
            return name

    def restore(self, name: str) -> str:
        """The id of what is back. Raises NotFound, or Conflict where another took its place."""
        source = self._home / _TRASH / name
        assistant_id = name.partition(".")[2]
        with self._lock:
            if source.parent.name != _TRASH or not assistant_id or not files.has_file(source):
                raise _not_found()
            if (self._home / assistant_id).exists():
                raise Conflict(
                    "There is already an assistant in its place.", do="Delete or keep that one."
                )
            durable.move(source, self._home / assistant_id)
            return assistant_id

    def choose_default(self, assistant_id: str) -> Assistant:
        """Durable. Raises NotFound, or Damaged."""
        with self._lock:
            chosen = self.get(assistant_id)
            with durable.saving(self._home):
                self._home.mkdir(parents=True, exist_ok=True)
            durable.replace(self._home / _DEFAULT, chosen.id.encode() + b"\n")
            return chosen

    # --- inside ---

    def _folder(self, assistant_id: str) -> Path:
        if not is_id(assistant_id):
            raise _not_found()
        return self._home / assistant_id

    def _saved(self, assistant: Assistant) -> Assistant:
        files.save(self._folder(assistant.id), assistant.data)
        return assistant

    def _forget_old(self) -> None:
        oldest = self._clock_ms() - _KEPT_MS
        with suppress(OSError):
            for folder in (self._home / _TRASH).iterdir():
                moment = folder.name.partition(".")[0]
                if moment.isdecimal() and int(moment) < oldest:
                    shutil.rmtree(folder, ignore_errors=True)


def _loaded(folder: Path) -> Assistant | DamagedAssistant:
    try:
        return files.load(folder)
    except (Damaged, StorageFailed) as error:
        return DamagedAssistant(folder.name, str(error))


def _place(entry: Assistant | DamagedAssistant) -> tuple[bool, bool, str, str]:
    name = entry.name if isinstance(entry, Assistant) else ""
    damaged = isinstance(entry, DamagedAssistant)
    return (entry.id != BUILT_IN.id, damaged, name.casefold(), entry.id)


def _not_found() -> NotFound:
    return NotFound("There is no such assistant.", do="Choose one from the list.")
