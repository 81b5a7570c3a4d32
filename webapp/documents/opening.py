"""Scopes as they come into use and leave it: from disk, at the start, to the trash and back."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from webapp.documents import files
from webapp.documents.board import Board, FileState, Stage
from webapp.documents.file_facts import FileFacts, Problem
from webapp.documents.ingest import PASSING, Ingest
from webapp.documents.scope import Scope, scope_of_table, scopes_with_files
from webapp.documents.scope_locks import ScopeLocks
from webapp.documents.tables import PassageTables
from webapp.errors import NotFound, StorageFailed, StrataError

log = logging.getLogger(__name__)

_MOST_INTERRUPTIONS: Final = 3
_INTERRUPTED: Final = Problem(
    "Strata was interrupted three times while reading this file.",
    "Press Retry to read it once more.",
    "interrupted",
)


class OpenScopes:
    """A scope that was looked at stays in memory, in step with its folder."""

    def __init__(
        self, data: Path, board: Board, locks: ScopeLocks, tables: PassageTables, ingest: Ingest
    ) -> None:
        self._data = data
        self._board = board
        self._locks = locks
        self._tables = tables
        self._ingest = ingest
        self._checked: set[str] = set()
        self._gone: set[str] = set()

    def opened(self, scope: Scope) -> None:
        """Make sure that `scope` is in memory, and that what was begun there goes on. NotFound
        while it is in the trash."""
        self._load(scope)
        if scope.table not in self._checked:
            self._checked.add(scope.table)
            if self._board.now(scope).files or files.leftovers(scope):
                self._ingest.check_later(scope)

    def resume(self) -> None:
        """Go on with what the last end of the server interrupted, in all scopes."""
        for scope in scopes_with_files(self._data):
            try:
                self._load(scope)
                ready = any(state.is_ready for state in self._board.now(scope).files)
                if ready and self._tables.lance.mark(scope.table) is None:
                    self._ingest.check_later(scope)
            except StrataError as error:
                log.warning("%s: %s", scope.table, error)
        self._tables.clear_dropped()
        for table in self._tables.names():
            self._drop_if_left(table)
            self._tables.tend_if_untidy(table)

    @contextmanager
    def leaving(self, scope: Scope) -> Iterator[None]:
        """To be held around what moves the scope's folder into the trash: work on its files ends,
        its table is dropped. When the block fails, all goes on as before.

        No lock is held meanwhile, for the block may wait for others who look at these files."""
        with self._locks.hold(scope):
            was_gone = scope.table in self._gone
            self._gone.add(scope.table)  # an upload that comes too late must not make it again
            self._forget(scope)
        try:
            yield
        except BaseException:
            if not was_gone:
                self._gone.discard(scope.table)
            raise
        with suppress(StorageFailed), self._locks.hold(scope):  # or the next start drops it
            self._tables.drop(scope.table)

    def returned(self, scope: Scope) -> None:
        """It is back from the trash: look at its folder anew."""
        with self._locks.hold(scope):
            self._gone.discard(scope.table)
            self._forget(scope)
        with suppress(StorageFailed):  # whoever looks at the files will be told
            self.opened(scope)

    def _forget(self, scope: Scope) -> None:
        self._board.close(scope)
        self._checked.discard(scope.table)

    def _load(self, scope: Scope) -> None:
        if self._board.is_open(scope):
            return
        self._refuse_if_gone(scope)
        with self._locks.hold(scope):
            self._refuse_if_gone(scope)
            if not self._board.is_open(scope):
                files.clear_halves(scope)
                found = files.load(scope)
                self._board.open(scope, [FileState(facts, _shown(facts)) for facts in found])
                for facts in found:
                    self._go_on(scope, facts)

    def _refuse_if_gone(self, scope: Scope) -> None:
        if scope.table in self._gone:
            raise NotFound("These files were deleted.", do="Look in the trash.")

    def _go_on(self, scope: Scope, facts: FileFacts) -> None:
        if facts.problem and facts.problem.code in PASSING:
            stage = files.stage_on_disk(scope, facts.id)
            self._ingest.start(scope, facts.at(stage))
        elif facts.stage in ("received", "read"):
            facts = replace(facts, interruptions=facts.interruptions + 1)
            too_often = facts.interruptions >= _MOST_INTERRUPTIONS
            if too_often:
                facts = facts.at("stopped", problem=_INTERRUPTED)
            with suppress(StorageFailed):
                files.save(scope, facts)
            if too_often:
                self._board.put(scope, FileState(facts, "stopped"))
            else:
                self._ingest.start(scope, facts)

    def _drop_if_left(self, table: str) -> None:
        scope = scope_of_table(self._data, table)
        if scope and not scope.folder.is_dir():
            with suppress(StrataError), self._locks.hold(scope):
                if not scope.folder.is_dir():
                    self._tables.drop(table)


def _shown(facts: FileFacts) -> Stage:
    match facts.stage:
        case "received" | "read":
            return "waiting"
        case stage:
            return stage
