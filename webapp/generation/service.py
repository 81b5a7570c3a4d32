"""The owner of every run: commands of the turn machine meet engine, library and readers here.

A run is bound to a thread and a message id, never to a socket. One worker feeds the engine in
the order in which questions came; a second thread keeps time, for checkpoints that no further
text triggers and for answers that could not be saved because the disk refused.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from webapp.chat import prompt
from webapp.chat.messages import Message
from webapp.engines.engine import Engine, Request, Sampling
from webapp.engines.engine import Turn as EngineTurn
from webapp.errors import Conflict, EngineFailed, StorageFailed, StrataError
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.turn import (
    CancelEngine,
    Checkpoint,
    Command,
    Failed,
    Grow,
    Halt,
    Queued,
    Save,
    Show,
    Tick,
    Turn,
    TurnEvent,
)
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

STOP_SECONDS = 3.0
FAULT = "Something went wrong in Strata itself; the details are in its log. Try again."


@dataclass(eq=False)
class Run:
    """One answer being made. `good` is the version that was shown before it, if any."""

    answer: Message
    live: LiveAnswer
    turn: Turn
    good: str | None = None
    unsaved: Save | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)


class GenerationService:
    """Starts, stops and finds runs. `close` stops them all and keeps their words."""

    def __init__(
        self,
        engine: Engine,
        library: ThreadLibrary,
        *,
        clock_ms: Callable[[], int],
        max_output_tokens: int = 2048,
    ) -> None:
        self._engine = engine
        self._library = library
        self._clock_ms = clock_ms
        self._max_output_tokens = max_output_tokens
        # Order of locks: _starting, then a run's own, then _registry, which is held only for
        # a moment and never while another is taken.
        self._starting = threading.Lock()
        self._registry = threading.Lock()
        self._runs: dict[str, Run] = {}
        self._waiting: list[Run] = []
        self._jobs: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._worker = threading.Thread(target=self._work, name="generation", daemon=True)
        self._timer = threading.Thread(target=self._keep_time, name="checkpoints", daemon=True)
        self._worker.start()
        self._timer.start()

    # --- what the page asks for ---

    def ask(self, thread_id: str, text: str, *, after: str | None = None) -> Message:
        """Store a question (durable) and begin its answer; the pending answer is returned.
        Raises Conflict while another answer of this thread is being written."""
        with self._starting:
            self._refuse_second_run(thread_id)
            question = self._library.ask(thread_id, text, after=after)
            return self._begin(thread_id, question.id)

    def answer(self, thread_id: str, question_id: str) -> Message:
        """A further answer to a question that is stored already."""
        with self._starting:
            self._refuse_second_run(thread_id)
            return self._begin(thread_id, question_id)

    def regenerate(self, thread_id: str, message_id: str) -> Message:
        """A new version beside `message_id`; the old one stays."""
        return self.answer(thread_id, self._library.question_of(thread_id, message_id))

    def stop(self, message_id: str) -> None:
        """Keep the words so far. Unknown or finished: nothing happens."""
        run = self._runs.get(message_id)
        if run is None:
            return
        with self._registry:
            waiting = run in self._waiting
            if waiting:
                self._waiting.remove(run)
        if waiting:
            self._receive(run, Halt())
            self._receive(run, Failed(""))
            self._tell_places()
        else:
            self._receive(run, Halt())

    def delete_thread(self, thread_id: str) -> None:
        """To the trash; an answer in the making is stopped and saved first."""
        for message_id in self.running(thread_id):
            self.stop(message_id)
            live = self.live(message_id)
            if live is not None:
                live.wait_done(timeout=STOP_SECONDS)
        self._library.delete(thread_id)

    def live(self, message_id: str) -> LiveAnswer | None:
        run = self._runs.get(message_id)
        return run.live if run else None

    def running(self, thread_id: str) -> tuple[str, ...]:
        """Ids of the answers being made in that thread."""
        with self._registry:
            runs = list(self._runs.values())
        return tuple(run.answer.id for run in runs if run.live.thread_id == thread_id)

    def close(self) -> None:
        """Stop everything, keeping the words so far; at most a few seconds. Idempotent."""
        if self._closing.is_set():
            return
        self._closing.set()
        for message_id in list(self._runs):
            self.stop(message_id)
        self._jobs.put(None)
        self._worker.join(timeout=4)
        self._timer.join(timeout=2)

    # --- one run ---

    def _refuse_second_run(self, thread_id: str) -> None:
        if self.running(thread_id):
            raise Conflict(
                "An answer is still being written in this thread.",
                do="Wait for it or stop it, then send again; your text is kept.",
            )

    def _begin(self, thread_id: str, question_id: str) -> Message:
        good = self._library.answer_shown(thread_id, question_id)
        answer = self._library.begin_answer(thread_id, question_id)
        live = LiveAnswer(thread_id, answer.id)
        run = Run(answer, live, Turn(self._clock_ms()), good)
        with self._registry:
            self._runs[answer.id] = run
            self._waiting.append(run)
        self._jobs.put(run)
        self._tell_places()
        return answer

    def _tell_places(self) -> None:
        with self._registry:
            waiting = list(self._waiting)
        for place, run in enumerate(waiting, start=1):
            self._receive(run, Queued(place))

    def _work(self) -> None:
        while (run := self._jobs.get()) is not None:
            with self._registry:
                if run not in self._waiting:
                    continue
                self._waiting.remove(run)
            self._tell_places()
            self._generate(run)

    def _generate(self, run: Run) -> None:
        try:
            for event in self._engine.generate(self._request(run)):
                self._receive(run, event)
                if run.turn.over:
                    break
        except StrataError as error:
            self._receive(run, Failed(str(error)))
        except Exception:
            log.exception("the answer %s failed", run.answer.id)
            self._receive(run, Failed(FAULT))

    def _request(self, run: Run) -> Request:
        path = self._library.path_before(run.live.thread_id, run.answer.id)
        said = prompt.parts(path, self._library.instructions(run.live.thread_id))
        if not prompt.has_question(said):
            raise EngineFailed("There is no question left to answer.", do="Write one and send it.")
        turns = tuple(EngineTurn(role, content) for role, content in said)
        return Request(run.answer.id, turns, self._max_output_tokens, Sampling())

    def _receive(self, run: Run, event: TurnEvent) -> None:
        with run.lock:
            for command in run.turn.receive(event, self._clock_ms()):
                self._carry_out(run, command)

    def _carry_out(self, run: Run, command: Command) -> None:
        match command:
            case Grow(piece):
                run.live.grow(piece)
            case Show(phase, detail):
                run.live.show(phase, detail)
            case Checkpoint(text):
                self._checkpoint(run, text)
            case CancelEngine():
                self._engine.cancel(run.answer.id)
            case Save():
                self._save(run, command)

    def _checkpoint(self, run: Run, text: str) -> None:
        try:
            self._library.extend_answer(run.live.thread_id, run.answer.id, text)
        except StrataError as error:
            # The whole text is written again at the end, so a lost checkpoint loses nothing yet.
            log.warning("checkpoint of %s failed: %s", run.answer.id, error)
            run.live.show("writing", f"Not saved yet: {error}")

    def _save(self, run: Run, save: Save) -> None:
        try:
            self._library.finish_answer(
                run.live.thread_id,
                run.answer.id,
                text=save.text,
                status=save.phase,
                error=save.error,
                usage={**save.usage, "model": self._engine.describe().model},
            )
            self._show_good(run, save)
        except StorageFailed as error:
            run.unsaved = save
            run.live.show("writing", f"Not saved yet, Strata keeps trying. {error}")
            return
        except StrataError as error:
            log.warning("the answer %s has no place any more: %s", run.answer.id, error)
            run.live.show("error", str(error))
        else:
            run.live.show(save.phase, save.error)
        run.unsaved = None
        with self._registry:
            self._runs.pop(run.answer.id, None)

    def _show_good(self, run: Run, save: Save) -> None:
        """A version that failed without a word does not stand in the way of a good one."""
        if run.good and save.phase == "error" and not save.text.strip():
            self._library.switch(run.live.thread_id, run.good)

    # --- time ---

    def _keep_time(self) -> None:
        while not self._closing.wait(1.0):
            with self._registry:
                runs = list(self._runs.values())
            for run in runs:
                self._receive(run, Tick())
                self._retry(run)

    def _retry(self, run: Run) -> None:
        with run.lock:
            if run.unsaved is not None:
                self._save(run, run.unsaved)
