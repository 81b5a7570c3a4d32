"""From a stored file to passages that can be found: read, cut, embed, and put into the table.

One thread reads and one embeds, so that one file is read while another is embedded. Rows are added
when all vectors of a file are there, in one go; only files whose state says "ready" are searched.
What fails is said with the file; the others go on.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final, Literal

from webapp.documents import files
from webapp.documents.background import Background
from webapp.documents.board import Board, FileState, Run, Step
from webapp.documents.chunking import Chunk, Chunking, chunks
from webapp.documents.current_model import CurrentModel
from webapp.documents.document import Document
from webapp.documents.embedding import TextVectors
from webapp.documents.file_facts import FileFacts, Kept, Problem, problem_of
from webapp.documents.parsing import refusals
from webapp.documents.parsing.limits import Limits
from webapp.documents.parsing.reading import read
from webapp.documents.reembedding import Reembedding
from webapp.documents.scope import Scope, owner
from webapp.documents.scope_locks import ScopeLocks
from webapp.documents.tables import PassageTables
from webapp.documents.vectors import Vectors
from webapp.errors import Damaged, EngineFailed, StorageFailed, StrataError, Unreadable

log = logging.getLogger(__name__)

# Codes of problems that may be over at the next start.
PASSING: Final = ("engine", "disk")
_FAULT: Final = Problem(
    "Something went wrong in Strata itself; the log has the details.", "Try again.", "fault"
)


class Ingest:
    """The two workers."""

    def __init__(
        self,
        board: Board,
        locks: ScopeLocks,
        tables: PassageTables,
        model: CurrentModel,
        reembedding: Reembedding,
        *,
        limits: Limits,
        chunking: Chunking,
    ) -> None:
        self._board = board
        self._locks = locks
        self._tables = tables
        self._model = model
        self._reembedding = reembedding
        self._limits = limits
        self._chunking = chunking
        self._reading = Background()
        self._embedding = Background()

    def adopt(self, limits: Limits, chunking: Chunking) -> None:
        """For files that are read from now on."""
        self._limits, self._chunking = limits, chunking

    def start(self, scope: Scope, facts: FileFacts) -> None:
        """Begin, or go on from `facts.stage`, which is "received" or "read"."""
        step: Step = "embed" if facts.stage == "read" else "read"
        self._line_up(self._board.begin(scope, FileState(facts, "waiting"), step))

    def check_later(self, scope: Scope) -> None:
        self._embedding.add(f"check of {scope.table}", lambda: self.check(scope))

    def check(self, scope: Scope) -> None:
        """Ready files whose passages are not all in the table (it was lost, or dropped when their
        thread was in the trash) are embedded again, from their text; so is a table of another
        model. What is left of deleted files goes."""
        space = self._space(scope)
        with self._locks.hold(scope):
            for state in self._board.now(scope).files:
                if state.is_ready and not self._is_whole(scope, state.facts):
                    self.start(scope, state.facts.at("read"))
            for file_id in files.leftovers(scope):
                self._tables.remove(scope.table, [file_id])
                files.take_apart(scope, file_id)
        if space and space != self._model.vectors().model.space:
            self._reembedding.start(scope.table)

    def pieces(self, document: Document) -> Iterator[Chunk]:
        return chunks(document, self._chunking)

    def wait(self, timeout_seconds: float) -> bool:
        """Until both workers have nothing to do; False when that took too long."""
        return all(worker.wait(timeout_seconds) for worker in (self._reading, self._embedding))

    def stop(self) -> None:
        """What is under way ends at the next step and goes on next time."""
        for run in self._board.cancel_all():
            with suppress(StrataError):
                facts = self._board.state(run.scope, run.file_id).facts
                if facts.interruptions:  # this is none
                    files.save(run.scope, replace(facts, interruptions=0))
        for worker in (self._reading, self._embedding):
            worker.stop()

    def close(self) -> None:
        """Stop, and wait until it has ended."""
        self.stop()
        for worker in (self._reading, self._embedding):
            worker.close()

    # --- stages ---

    def _line_up(self, run: Run) -> None:
        worker = self._embedding if run.next == "embed" else self._reading
        step = run.next

        def job() -> None:
            # One that was cancelled in line may stand in for the attempt that followed it.
            current = self._board.run(run.scope, run.file_id)
            if current and current.next == step:
                with self._said(current):
                    (self._embed if step == "embed" else self._read)(current)

        worker.add(f"{step} {run.scope.table} {run.file_id}", job)

    def _read(self, run: Run) -> None:
        self._board.progress(run, "reading")
        document = read(
            files.original(run.scope, run.file_id),
            self._board.state(run.scope, run.file_id).name,
            lambda stage, done, total: self._board.progress(
                run, "pictures" if stage == "pictures" else "reading", done, total
            ),
            run.cancelled,
            limits=self._limits,
        )
        if document is None:
            return
        files.write_text(run.scope, run.file_id, document)
        with self._locks.hold(run.scope):
            if facts := self._settle(run, "read", **self._facts_of(run, document)):
                self._board.settle(run, FileState(facts, "waiting"))
                run.next = "embed"
                self._line_up(run)

    def _embed(self, run: Run) -> None:
        scope = run.scope
        try:
            document = files.text(scope, run.file_id)
        except Damaged:  # the file itself is there: from the beginning
            return self._start_over(run)
        self._board.progress(run, "cutting")
        pieces = self._cut(run, document)
        vectors = self._model.vectors()
        if self._space(scope) not in ("", vectors.model.space):
            self._reembedding.embed_again(scope.table)
        self._board.progress(run, "embedding", 0, len(pieces))
        made = self._vectors(run, vectors, [piece.searched for piece in pieces])
        with self._locks.hold(scope):
            if self._is_wanted(run):
                self._tables.add(scope.table, vectors.model, run.file_id, pieces, made)
                self._settle(run, "ready", chunks=len(pieces), interruptions=0)
        return None

    def _vectors(self, run: Run, model: TextVectors, texts: Sequence[str]) -> Vectors:
        own = owner(run.scope.table, run.file_id)
        try:
            return model.of_passages(
                texts,
                owners=[own] * len(texts),
                progress=lambda done, total: self._board.progress(run, "embedding", done, total),
                cancelled=run.cancelled.is_set,
            )
        finally:
            if not (run.scope.folder / run.file_id).is_dir():  # those of the last batch came late
                self._model.forget([own])

    def _space(self, scope: Scope) -> str:
        """Which model made the table; empty without one. A table that cannot be read is dropped:
        all that is in it can be made again."""
        try:
            facts = self._tables.facts(scope.table)
        except Damaged:
            self._tables.drop(scope.table)
            self.check_later(scope)
            return ""
        return facts.space if facts else ""

    def _is_whole(self, scope: Scope, facts: FileFacts) -> bool:
        """Rows of a file come and go together, so the last one tells."""
        last = facts.chunks - 1
        return bool(self._tables.between(scope.table, facts.id, last, last))

    def _cut(self, run: Run, document: Document) -> Sequence[Chunk]:
        pieces = []
        for piece in self.pieces(document):
            if run.cancelled.is_set():
                break
            pieces.append(piece)
        if not pieces:
            raise refusals.no_text()
        return pieces

    def _start_over(self, run: Run) -> None:
        with self._locks.hold(run.scope):
            if facts := self._settle(run, "received"):
                self.start(run.scope, facts)

    def _facts_of(self, run: Run, document: Document) -> dict[str, Any]:
        words = " ".join(document.text.split())
        digest = hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()
        notes = document.notes
        for other in self._board.now(run.scope).files:
            if other.id != run.file_id and other.facts.text_sha256 == digest:
                notes = (*notes, f"Its text is the same as that of “{other.name}”.")
        return {
            "title": document.title,
            "characters": len(document.text),
            "text_sha256": digest,
            "notes": notes,
            "details": document.details,
        }

    # --- what came of it ---

    @contextmanager
    def _said(self, run: Run) -> Iterator[None]:
        """What goes wrong is said with the file."""
        try:
            yield
        except Unreadable as error:
            at_fault = error.code != "not_started"
            self._end(run, "rejected" if at_fault else "stopped", problem_of(error))
        except StrataError as error:
            code = {EngineFailed: "engine", StorageFailed: "disk"}
            found = next((word for kind, word in code.items() if isinstance(error, kind)), "")
            self._end(run, "stopped", problem_of(error, found))
        except Exception:
            log.exception("a file could not be taken in")
            self._end(run, "stopped", _FAULT)

    def _end(self, run: Run, stage: Literal["rejected", "stopped"], problem: Problem) -> None:
        """Said even when it cannot be written down; the next start then begins again."""
        with self._locks.hold(run.scope), suppress(StrataError):
            if self._is_wanted(run):
                facts = self._board.state(run.scope, run.file_id).facts.at(stage, problem=problem)
                with suppress(StorageFailed):
                    files.save(run.scope, facts)
                self._board.settle(run, FileState(facts, stage))

    def _settle(self, run: Run, stage: Kept, **changes: Any) -> FileFacts | None:
        """Write down what is reached; None for an attempt that is not wanted any more."""
        if not self._is_wanted(run):
            return None
        facts = self._board.state(run.scope, run.file_id).facts
        facts = replace(facts.at(stage), **changes)
        files.save(run.scope, facts)
        if stage == "ready":
            self._board.settle(run, FileState(facts, "ready"))
        return facts

    def _is_wanted(self, run: Run) -> bool:
        """False once it was cancelled, its file deleted, or its thread moved to the trash."""
        return not run.cancelled.is_set() and (run.scope.folder / run.file_id).is_dir()
