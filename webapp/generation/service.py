"""The owner of every run: commands of the turn machine meet engine, library and readers here.

A run is bound to a thread and a message id, never to a socket. One worker feeds the engine, as
the line says who is next; a second thread keeps time, for checkpoints that no further text
triggers and for answers that could not be saved because the disk refused; a third does what can
wait until nobody does.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from webapp.chat import continuing
from webapp.chat.grounding import THRESHOLD
from webapp.chat.messages import Message
from webapp.documents.service import Documents
from webapp.engines.engine import Engine
from webapp.errors import BadInput, Conflict, StrataError
from webapp.generation import turn
from webapp.generation.answering import Answering
from webapp.generation.asker import asker
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.day import read_in, readers_zone
from webapp.generation.groundings import Groundings
from webapp.generation.idle import IdleWork
from webapp.generation.line import Line, Run
from webapp.generation.lookup import FileSearch, Lookup
from webapp.generation.recall import Recall
from webapp.generation.saving import AnswerSaving
from webapp.generation.sources import Sources
from webapp.generation.summaries import Summaries
from webapp.generation.titles import Titles
from webapp.generation.tool_test import ToolTest
from webapp.generation.window import Window, defaults
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

STOP_SECONDS = 3.0
MOST_AT_ONCE = 4


class GenerationService:
    """Starts, stops and finds runs. `close` stops them all and keeps their words. `kept` is the
    file for what was found out of models."""

    def __init__(
        self,
        engine: Engine,
        library: ThreadLibrary,
        *,
        clock_ms: Callable[[], int],
        window: Mapping[str, object] | None = None,
        documents: Documents | None = None,
        file_search: FileSearch = "auto",
        grounding_threshold: float = THRESHOLD,
        kept: Path | None = None,
        recall: Recall | None = None,
    ) -> None:
        self._engine, self._library, self._clock_ms = engine, library, clock_ms
        self.window = Window(engine, library, defaults(**(window or {})), clock_ms)
        # Order of locks: _starting, then a run's own, then the line's.
        self._starting = threading.Lock()
        self._line = Line()
        self._saving = AnswerSaving(library, self._line, lambda: engine.describe().model)
        self._idle = IdleWork(engine, lambda: not self._line.runs())
        self.titles = Titles(self._idle, library, self.window)
        self.summaries = Summaries(self._idle, engine, library, self.window, clock_ms)
        self.groundings = Groundings(documents, library, grounding_threshold) if documents else None
        files = self._files(documents, file_search, kept, recall) if documents else None
        self.lookup = files[1] if files else None
        parts = (engine, self.window, self.summaries, self._receive)
        self._answering = Answering(*parts, files=files, others_wait=self._line.waiting)
        self._closing = threading.Event()
        self._worker = self._started("answers", self._work)
        self._timer = self._started("checkpoints", self._keep_time)

    def _files(
        self, documents: Documents, how: FileSearch, kept: Path | None, recall: Recall | None
    ) -> tuple[Sources, Lookup]:
        test = ToolTest(self._engine, self._idle, kept)
        parts = (self._engine, self.window, documents, how)
        more: dict[str, Any] = {"clock_ms": self._clock_ms, "library": self._library}
        lookup = Lookup(*parts, **more, tool_test=test, recall=recall)
        self.window.tools = lookup.offered
        return Sources(documents, self._library), lookup

    def _started(self, name: str, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, name=name, daemon=True)
        thread.start()
        return thread

    # --- what the page asks for ---

    def ask(self, thread_id: str, text: str, *, after: str | None = None) -> Message:
        """Store a question (durable) and begin its answer; the pending answer is returned.
        Raises Conflict while another answer of this thread is being written."""
        with self._starting:
            self._refuse_second_run(thread_id)
            question = self._library.ask(thread_id, text, after=after, by=asker())
            return self._begin(thread_id, question.id)

    def answer(self, thread_id: str, question_id: str, *, count: int = 1) -> Message:
        """Further answers to a question that is stored already, written one after another; the
        first of them is returned."""
        if not 1 <= count <= MOST_AT_ONCE:
            raise BadInput(
                f"There can be 1 to {MOST_AT_ONCE} new versions at once.", do="Choose a number."
            )
        with self._starting:
            self._refuse_second_run(thread_id, count)
            return self._begin(thread_id, question_id, count)

    def regenerate(self, thread_id: str, message_id: str, *, count: int = 1) -> Message:
        """New versions beside `message_id`; the old one stays."""
        question_id = self._library.question_of(thread_id, message_id)
        return self.answer(thread_id, question_id, count=count)

    def edit(self, thread_id: str, message_id: str, text: str) -> Message:
        """A new version with other words; for a question, its pending answer is returned."""
        with self._starting:
            if self._library.message(thread_id, message_id).role == "user":
                self._refuse_second_run(thread_id)
            version = self._library.acts.edit(thread_id, message_id, text, by=asker())
            if version.role != "user":
                return version
            return self._begin(thread_id, version.id)

    def resume(self, thread_id: str, message_id: str, *, in_place: bool) -> Message:
        """Go on with an answer that was cut short: as a new version that begins with its words,
        or in place. Raises Conflict for one that is whole."""
        with self._starting:
            self._refuse_second_run(thread_id)
            partial = self._library.message(thread_id, message_id)
            continuing.check_can_continue(partial)
            acts = self._library.acts
            begin = acts.reopen_answer if in_place else acts.begin_continuation
            answer = begin(thread_id, message_id)
            self._join(answer, None if in_place else message_id, begun=partial.text)
            self._tell_places()
            return answer

    def stop(self, message_id: str) -> None:
        """Keep the words so far. Unknown or finished: nothing happens. Other versions that were
        planned with this one and not begun are not written any more."""
        run = self._line.find(message_id)
        if run is None:
            return
        dropped = self._line.drop_planned_with(run)
        if self._line.give_up(run):
            self._receive(run, turn.Halt())
            self._receive(run, turn.Failed(""))
            self.titles.answered(run)
            self._tell_places()
        else:
            self._receive(run, turn.Halt())
        self._forget(dropped)

    def delete(self, thread_id: str, message_id: str, *, all_versions: bool) -> int:
        """Delete messages (durable); answers being written among them are stopped first."""
        below = self._library.acts.below(thread_id, message_id, all_versions=all_versions)
        self._stop_among(below)
        return self._library.acts.delete(thread_id, message_id, all_versions=all_versions)

    def undo(self, thread_id: str, message_id: str) -> str:
        """Take back the latest act on a message; an answer below it is stopped first."""
        if self._library.has(thread_id, message_id):
            below = self._library.acts.below(thread_id, message_id, all_versions=False)
            self._stop_among(below)
        return self._library.acts.undo(thread_id, message_id)

    def delete_thread(self, thread_id: str) -> None:
        """To the trash; an answer in the making is stopped and saved first."""
        self._stop_among(self.running(thread_id))
        self._library.delete(thread_id)

    def live(self, message_id: str) -> LiveAnswer | None:
        run = self._line.find(message_id)
        return run.live if run else None

    def running(self, thread_id: str) -> tuple[str, ...]:
        """Ids of the answers being made in that thread."""
        runs = self._line.runs()
        return tuple(run.answer.id for run in runs if run.live.thread_id == thread_id)

    def is_quiet(self) -> bool:
        """Nobody waits for an answer, and there is no title or note to be written."""
        return not self._line.runs() and not self._idle.jobs()

    def close(self) -> None:
        """Stop everything, keeping the words so far; at most a few seconds. Idempotent."""
        if self._closing.is_set():
            return
        self._closing.set()
        for run in self._line.runs():
            self.stop(run.answer.id)
        self._line.close()
        self._idle.close()
        if self.groundings is not None:
            self.groundings.close()
        self._worker.join(timeout=4)
        self._timer.join(timeout=2)

    # --- one run ---

    def refuse_too_many(self, more: int = 1) -> None:
        """Raises TooOften when who asks would have more answers on the way than one person may."""
        self._line.refuse_too_many(asker(), more)

    def _refuse_second_run(self, thread_id: str, count: int = 1) -> None:
        self.refuse_too_many(count)
        if self.running(thread_id):
            raise Conflict(
                "An answer is still being written in this thread.",
                do="Wait for it or stop it, then send again; your text is kept.",
            )

    def _begin(self, thread_id: str, question_id: str, count: int = 1) -> Message:
        good = self._library.answer_shown(thread_id, question_id)
        answers = self._library.acts.begin_answers(thread_id, question_id, count)
        for answer in answers:
            self._join(answer, good, plan=answers[0].id)
        self._tell_places()
        return answers[0]

    def _join(self, answer: Message, good: str | None, *, plan: str = "", begun: str = "") -> None:
        live = LiveAnswer(answer.thread_id, answer.id, begun)
        state = turn.Turn(self._clock_ms(), begun)
        run = Run(answer, live, state, good, begun, plan or answer.id, readers_zone(), asker())
        self.titles.begun(answer.thread_id)
        self._line.join(run)
        self._idle.break_off()

    def _forget(self, dropped: list[Run]) -> None:
        for run in dropped:
            try:
                self._library.acts.forget_answers(run.live.thread_id, [run.answer.id])
            except StrataError as error:
                log.warning("the unbegun answer %s stays: %s", run.answer.id, error)
            run.live.show("stopped", "This version was not started.")

    def _stop_among(self, message_ids: tuple[str, ...]) -> None:
        for message_id in message_ids:
            live = self.live(message_id)
            if live is not None:
                self.stop(message_id)
                live.wait_done(timeout=STOP_SECONDS)

    def _tell_places(self) -> None:
        for place, run in enumerate(self._line.waiting(), start=1):
            self._receive(run, turn.Queued(place))

    def _work(self) -> None:
        while (run := self._line.take()) is not None:
            self._tell_places()
            read_in(run.zone)
            self._answering.answer(run)
            self.titles.answered(run)
            self.summaries.answered(run)
            if self.groundings is not None:
                self.groundings.answered(run)
            self._idle.look()

    def _receive(self, run: Run, event: turn.TurnEvent) -> None:
        with run.lock:
            for command in run.turn.receive(event, self._clock_ms()):
                self._carry_out(run, command)

    def _carry_out(self, run: Run, command: turn.Command) -> None:
        match command:
            case turn.Grow(piece, phase):
                run.live.grow(piece, phase)
            case turn.Show(phase, detail):
                run.live.show(phase, detail)
            case turn.Checkpoint(text):
                self._saving.checkpoint(run, text)
            case turn.CancelEngine():
                self._engine.cancel(run.answer.id)
            case turn.Save():
                self._saving.save(run, command)

    # --- time ---

    def _keep_time(self) -> None:
        while not self._closing.wait(1.0):
            for run in self._line.runs():
                self._receive(run, turn.Tick())
                with run.lock:
                    self._saving.retry(run)
