"""Where each file stands, for any number of readers who look when they like or wait for a change.

Whoever works on a file holds a `Run`; once that is cancelled, nothing it still says is heard.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from webapp.documents.file_facts import FileFacts, Problem
from webapp.documents.scope import Scope
from webapp.errors import NotFound

# What is being done, or what came of it. "waiting" is for its turn; "pictures" reads the pictures
# of pages; "stopped" can be tried again.
Stage = Literal[
    "uploading",
    "waiting",
    "reading",
    "pictures",
    "cutting",
    "embedding",
    "ready",
    "rejected",
    "stopped",
    "damaged",
]
Step = Literal["receive", "read", "embed"]
OVER: frozenset[Stage] = frozenset({"ready", "rejected", "stopped", "damaged"})


@dataclass(frozen=True)
class FileState:
    """A file at one moment. `done` of `total` are bytes while uploading, pages while reading,
    passages while embedding; a total of 0 is not known. `facts.problem` says why it is not ready.
    """

    facts: FileFacts
    stage: Stage
    done: int = 0
    total: int = 0

    @property
    def id(self) -> str:
        return self.facts.id

    @property
    def name(self) -> str:
        return self.facts.name

    @property
    def problem(self) -> Problem | None:
        return self.facts.problem

    @property
    def is_ready(self) -> bool:
        """Whether its passages can be found."""
        return self.stage == "ready"

    @property
    def is_over(self) -> bool:
        """Whether nothing is being done."""
        return self.stage in OVER


@dataclass(frozen=True)
class FilesNow:
    """All files of a scope at one moment; the version counts up with each change."""

    version: int
    files: tuple[FileState, ...]


@dataclass(eq=False)
class Run:
    """One attempt to make a file searchable. `next` is the step that is due or under way."""

    scope: Scope
    file_id: str
    next: Step = "read"
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass
class _Entry:
    states: dict[str, FileState] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    version: int = 0


class Board:
    """Scopes that were opened, by their tables. No call waits for anything but a short lock."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: dict[str, _Entry] = {}
        self._version = 0

    def is_open(self, scope: Scope) -> bool:
        with self._changed:
            return scope.table in self._entries

    def open(self, scope: Scope, states: Iterable[FileState]) -> None:
        with self._changed:
            self._entries[scope.table] = _Entry({state.id: state for state in states})
            self._step(self._entries[scope.table])

    def close(self, scope: Scope) -> None:
        """Forget it; all that is being done for it is cancelled."""
        with self._changed:
            entry = self._entries.pop(scope.table, _Entry())
            for run in entry.runs.values():
                run.cancelled.set()
            self._step(entry)

    def now(self, scope: Scope) -> FilesNow:
        with self._changed:
            return self._now(scope)

    def wait(self, scope: Scope, after_version: int, timeout: float) -> FilesNow:
        """As it is once the version passes `after_version`, or at the time-out (seconds)."""
        with self._changed:
            self._changed.wait_for(lambda: self._entry(scope).version > after_version, timeout)
            return self._now(scope)

    def wait_over(self, scope: Scope, timeout: float) -> FilesNow:
        """As it is once nothing is being done there, or at the time-out (seconds)."""
        with self._changed:
            self._changed.wait_for(
                lambda: all(state.is_over for state in self._now(scope).files), timeout
            )
            return self._now(scope)

    def state(self, scope: Scope, file_id: str) -> FileState:
        """NotFound for a file that is not in the list."""
        with self._changed:
            found = self._entry(scope).states.get(file_id)
        if found is None:
            raise NotFound("There is no such file here.", do="It may have been deleted.")
        return found

    # --- changes ---

    def begin(self, scope: Scope, state: FileState, step: Step) -> Run:
        """A new attempt for a file, in or out of the list; an earlier one is cancelled."""
        run = Run(scope, state.id, step)
        with self._changed:
            entry = self._entry(scope)
            self._cancel(entry, state.id)
            entry.runs[state.id] = run
            entry.states[state.id] = state
            self._step(entry)
        return run

    def run(self, scope: Scope, file_id: str) -> Run | None:
        """The attempt that is under way."""
        with self._changed:
            return self._entry(scope).runs.get(file_id)

    def progress(self, run: Run, stage: Stage, done: int = 0, total: int = 0) -> None:
        """How far an attempt is; nothing happens for one that was cancelled."""
        with self._changed:
            entry = self._entry(run.scope)
            old = entry.states.get(run.file_id)
            if old and not run.cancelled.is_set():
                entry.states[run.file_id] = FileState(old.facts, stage, done, total)
                self._step(entry)

    def settle(self, run: Run, state: FileState) -> None:
        """What came of an attempt, or of a part of it."""
        with self._changed:
            if not run.cancelled.is_set():
                entry = self._entry(run.scope)
                entry.states[run.file_id] = state
                if state.is_over:
                    entry.runs.pop(run.file_id, None)
                self._step(entry)

    def put(self, scope: Scope, state: FileState) -> None:
        """In place of what is under way, which is cancelled."""
        with self._changed:
            entry = self._entry(scope)
            self._cancel(entry, state.id)
            entry.states[state.id] = state
            self._step(entry)

    def change(self, scope: Scope, facts: FileFacts) -> None:
        """Other facts about a file, whatever is being done with it."""
        with self._changed:
            entry = self._entry(scope)
            if old := entry.states.get(facts.id):
                entry.states[facts.id] = FileState(facts, old.stage, old.done, old.total)
                self._step(entry)

    def remove(self, scope: Scope, file_id: str) -> None:
        with self._changed:
            entry = self._entry(scope)
            self._cancel(entry, file_id)
            entry.states.pop(file_id, None)
            self._step(entry)

    def cancel_all(self) -> list[Run]:
        """Without a word about it: the server ends, and goes on from here next time."""
        with self._changed:
            runs = [run for entry in self._entries.values() for run in entry.runs.values()]
            for run in runs:
                run.cancelled.set()
            return runs

    # --- inside ---

    def _entry(self, scope: Scope) -> _Entry:
        """A throwaway one for a scope that is not open: whoever still works for it is not heard."""
        return self._entries.get(scope.table) or _Entry()

    def _now(self, scope: Scope) -> FilesNow:
        states = self._entry(scope).states.values()
        ordered = sorted(states, key=lambda state: (state.facts.added_ms, state.id))
        return FilesNow(self._entry(scope).version, tuple(ordered))

    def _cancel(self, entry: _Entry, file_id: str) -> None:
        if run := entry.runs.pop(file_id, None):
            run.cancelled.set()

    def _step(self, entry: _Entry) -> None:
        self._version += 1
        entry.version = self._version
        self._changed.notify_all()
