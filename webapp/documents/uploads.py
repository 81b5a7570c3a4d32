"""Files on their way in: stored, compared with what is there, named, and put in line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from webapp.documents import files
from webapp.documents.board import Board, FileState, Run
from webapp.documents.file_facts import FileFacts
from webapp.documents.files import Arrived, Stream
from webapp.documents.ingest import Ingest
from webapp.documents.names import safe_name, unused
from webapp.documents.parsing.choosing import refuse_by_size
from webapp.documents.scope import Scope
from webapp.documents.scope_locks import ScopeLocks
from webapp.errors import Conflict


@dataclass(frozen=True)
class Stored:
    """A new file; it is being read now."""

    state: FileState


@dataclass(frozen=True)
class Duplicate:
    """The same bytes as those of `state`; nothing was stored. `sentence` is for a person."""

    state: FileState
    sentence: str


class Uploads:
    """`most_bytes` is the largest file that is taken."""

    def __init__(
        self,
        board: Board,
        locks: ScopeLocks,
        ingest: Ingest,
        *,
        clock_ms: Callable[[], int],
        new_id: Callable[[], str],
        most_bytes: int,
    ) -> None:
        self._board = board
        self._locks = locks
        self._ingest = ingest
        self._clock_ms = clock_ms
        self._new_id = new_id
        self.most_bytes = most_bytes

    def add(self, scope: Scope, name: str, stream: Stream, size: int) -> Stored | Duplicate:
        """Of an open scope. `size` is what the sender says, 0 if nothing.

        Unreadable for a file that is too large, StorageFailed when the disk refuses, Conflict when
        it was cancelled: nothing is stored then."""
        facts = FileFacts(self._new_id(), safe_name(name), size, added_ms=self._clock_ms())
        run = self._board.begin(scope, FileState(facts, "uploading", 0, size), "receive")
        try:
            refuse_by_size(size or 1, self.most_bytes)
            with self._locks.hold(scope):
                self._refuse_if_cancelled(run)
                files.make_room(scope, facts.id)
            arrived = files.receive(
                scope, facts.id, stream, self.most_bytes, lambda done: self._heard(run, done, size)
            )
            with self._locks.hold(scope):
                return self._placed(run, facts, arrived)
        except BaseException:
            files.discard(scope, facts.id)
            self._board.remove(scope, facts.id)
            raise

    def _heard(self, run: Run, done: int, size: int) -> None:
        self._refuse_if_cancelled(run)
        self._board.progress(run, "uploading", done, size)

    def _placed(self, run: Run, facts: FileFacts, arrived: Arrived) -> Stored | Duplicate:
        scope, others = run.scope, self._others(run)
        facts = replace(facts, size=arrived.size, sha256=arrived.sha256)
        for other in others:
            if (other.facts.size, other.facts.sha256) == (facts.size, facts.sha256):
                files.discard(scope, facts.id)
                self._board.remove(scope, facts.id)
                return Duplicate(other, _same(facts.name, other.name))
        facts = replace(facts, name=unused(facts.name, {other.name for other in others}))
        self._refuse_if_cancelled(run)
        files.keep(scope, facts)
        self._ingest.start(scope, facts)
        return Stored(self._board.state(scope, facts.id))

    def _refuse_if_cancelled(self, run: Run) -> None:
        if run.cancelled.is_set():
            raise Conflict(
                "The upload was cancelled.", do="Attach the file again whenever you like."
            )

    def _others(self, run: Run) -> list[FileState]:
        """Those in the list; what is still on its way will compare itself with this one."""
        now = self._board.now(run.scope).files
        return [state for state in now if state.stage != "uploading"]


def _same(name: str, other: str) -> str:
    if name == other:
        return f"“{name}” is here already."
    return f"“{name}” is the same file as “{other}”, which is here already."
