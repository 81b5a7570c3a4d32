"""The passages of a table by another embedding model, from the texts kept in it.

Search goes on meanwhile with what is there; the new vectors take its place at one stroke. What was
computed is in the cache of vectors, so an interruption costs little.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from webapp.documents.background import Background
from webapp.documents.embedding import TextVectors
from webapp.documents.scope import owner
from webapp.documents.tables import PassageTables
from webapp.errors import Conflict, StrataError

_ROUNDS: Final = 5


@dataclass(frozen=True)
class Waiting:
    """In line for the model."""


@dataclass(frozen=True)
class Running:
    """`done` of `total` passages have their new vector."""

    done: int
    total: int


@dataclass(frozen=True)
class Failed:
    """The old vectors are still there; `error` says why in a person's words."""

    error: StrataError


State = Waiting | Running | Failed


class Reembedding:
    """Tables one after the other, in the background."""

    def __init__(
        self, tables: PassageTables, background: Background, current: Callable[[], TextVectors]
    ) -> None:
        self._tables = tables
        self._background = background
        self._current = current
        self._lock = threading.Lock()
        self._states: dict[str, State] = {}

    def state(self, name: str) -> State | None:
        """None when nothing is to be done for this table."""
        with self._lock:
            return self._states.get(name)

    def outdated(self) -> list[str]:
        """Tables made by another model than the one in use."""
        space = self._current().model.space
        facts = {name: self._tables.facts(name) for name in self._tables.names()}
        return [name for name, each in facts.items() if each and each.space != space]

    def start(self, name: str) -> None:
        """Nothing happens for a table that is as it should be."""
        with self._lock:
            if isinstance(self._states.get(name), Waiting | Running):
                return
            self._states[name] = Waiting()
        self._background.add(f"embedding {name} again", lambda: self._run(name))

    def embed_again(self, name: str) -> None:
        """At once. Conflict when the server is being stopped, or the table changes all the time."""
        lance = self._tables.lance
        for _ in range(_ROUNDS):
            vectors, seen = self._current(), lance.mark(name)
            facts = self._tables.facts(name)
            rows = lance.read(name)
            if rows is None or (facts and facts.space == vectors.model.space):
                return
            made = vectors.of_passages(
                rows.texts,
                owners=[owner(name, file_id) for file_id in rows.file_ids],
                progress=lambda done, total: self._note(name, Running(done, total)),
                cancelled=self._background.is_closed,
            )
            if lance.swap(name, seen, rows, made, vectors.model.space):
                self._tables.tend_later(name)
                return
        raise Conflict("These files keep changing.", do="Try again when that has stopped.")

    def _run(self, name: str) -> None:
        try:
            self.embed_again(name)
        except StrataError as error:
            self._note(name, Failed(error))
            raise
        self._note(name, None)

    def _note(self, name: str, state: State | None) -> None:
        with self._lock:
            if state is None:
                self._states.pop(name, None)
            else:
                self._states[name] = state
