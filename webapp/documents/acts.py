"""What a person does to one file after it was stored."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final, get_args

from webapp.documents import files
from webapp.documents.board import Board, FileState
from webapp.documents.current_model import CurrentModel
from webapp.documents.file_facts import Problem
from webapp.documents.ingest import Ingest
from webapp.documents.opening import OpenScopes
from webapp.documents.routing import Use
from webapp.documents.scope import Scope, owner
from webapp.documents.scope_locks import ScopeLocks
from webapp.documents.tables import PassageTables
from webapp.errors import BadInput, Conflict, StorageFailed, StrataError

_CANCELLED: Final = Problem("This was cancelled.", "Press Retry to go on.", "cancelled")


class FileActs:
    """Each is NotFound for a file that is not in the list."""

    def __init__(
        self,
        board: Board,
        locks: ScopeLocks,
        tables: PassageTables,
        model: CurrentModel,
        *,
        ingest: Ingest,
        scopes: OpenScopes,
    ) -> None:
        self._board = board
        self._locks = locks
        self._tables = tables
        self._model = model
        self._ingest = ingest
        self._scopes = scopes

    def cancel(self, scope: Scope, file_id: str) -> None:
        """What was done so far is kept for `retry`; an upload is forgotten. Conflict when nothing
        is being done."""
        with self._locks.hold(scope):
            state = self._state(scope, file_id)
            if state.is_over:
                raise Conflict("Nothing is being done with this file.", do="Look at it again.")
            if state.stage == "uploading":
                return self._board.remove(scope, file_id)
            facts = state.facts.at("stopped", problem=_CANCELLED)
            with suppress(StorageFailed):  # the next start would go on; it does not have to be so
                files.save(scope, facts)
            return self._board.put(scope, FileState(facts, "stopped"))

    def retry(self, scope: Scope, file_id: str) -> None:
        """From where it stopped; what was rejected is read again. Conflict for a file that is
        ready or being worked on."""
        with self._locks.hold(scope):
            state = self._state(scope, file_id)
            if state.is_ready or not state.is_over:
                raise Conflict("This file needs no retry.", do="Look at it again.")
            if state.stage == "stopped":
                return self._begin(scope, state, files.stage_on_disk(scope, file_id))
            return self._begin(scope, state, "received")

    def read_again(self, scope: Scope, file_id: str) -> None:
        """From the file itself, whatever its state. Conflict while it is being uploaded."""
        with self._locks.hold(scope):
            state = self._state(scope, file_id)
            if state.stage == "uploading":
                raise Conflict("This file is still being uploaded.", do="Wait until it is here.")
            self._begin(scope, state, "received")

    def remove(self, scope: Scope, file_id: str) -> None:
        """With its passages and their vectors, for good; what other files have in common with it
        stays. StorageFailed when it is still there."""
        with self._locks.hold(scope):
            self._state(scope, file_id)
            if (scope.folder / file_id).exists():
                files.remove(scope, file_id)
            self._board.remove(scope, file_id)
            with suppress(StrataError):  # nobody finds them any more; they go with the next check
                self._tables.remove(scope.table, [file_id])
                files.take_apart(scope, file_id)
            self._model.forget([owner(scope.table, file_id)])

    def choose_use(self, scope: Scope, file_id: str, use: str) -> None:
        """How this file is sent, whatever the setting; empty to follow the setting."""
        if use and use not in get_args(Use):
            raise BadInput(f"A file cannot be used as {use!r}.", do="Choose one from the list.")
        chosen: Use | None = next((each for each in get_args(Use) if each == use), None)
        with self._locks.hold(scope):
            state = self._state(scope, file_id)
            if state.stage in ("uploading", "damaged"):
                raise Conflict("This file cannot be changed now.", do="Wait, or read it again.")
            facts = replace(state.facts, use=chosen)
            files.save(scope, facts)
            self._board.change(scope, facts)

    def _state(self, scope: Scope, file_id: str) -> FileState:
        self._scopes.opened(scope)
        return self._board.state(scope, file_id)

    def _begin(self, scope: Scope, state: FileState, stage: str) -> None:
        facts = state.facts
        if state.stage == "damaged":
            facts = replace(files.original_facts(scope, state.id), name=state.name)
        facts = replace(facts.at("read" if stage == "read" else "received"), interruptions=0)
        files.save(scope, facts)
        self._ingest.start(scope, facts)
