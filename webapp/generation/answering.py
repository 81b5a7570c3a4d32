"""One answer from its plan to its last event: the window, notes if they are due, the engine."""

from __future__ import annotations

import logging
from collections.abc import Callable

from webapp.chat.compaction import Due
from webapp.chat.overflow import Overflow, overflow
from webapp.engines.engine import Engine
from webapp.errors import EngineFailed, StrataError
from webapp.generation.asides import aside
from webapp.generation.line import Run
from webapp.generation.lookup import Lookup
from webapp.generation.replies import Replies
from webapp.generation.sources import Sources
from webapp.generation.summaries import Summaries
from webapp.generation.turn import Failed, TurnEvent
from webapp.generation.window import Window

log = logging.getLogger(__name__)

LONGEST_WAIT = 20.0
FAULT = "Something went wrong in Strata itself; the log has the details. Try again."


class Answering:
    """Tells every event of a run to `receive`; the last is an ending, whatever happens."""

    def __init__(
        self,
        engine: Engine,
        window: Window,
        summaries: Summaries,
        receive: Callable[[Run, TurnEvent], None],
        *,
        files: tuple[Sources, Lookup] | None,
        others_wait: Callable[[], object],
    ) -> None:
        self._engine = engine
        self._window = window
        self._summaries = summaries
        self._receive = receive
        self._files = files
        self._others_wait = others_wait
        self._replies = Replies(engine, window, receive, files[1] if files else None)

    def answer(self, run: Run) -> None:
        try:
            if self._files is not None:
                self._gather(run, *self._files)
            if not run.turn.over:
                self._answer(run, None)
        except StrataError as error:
            self._receive(run, Failed(str(error)))
        except Exception:
            log.exception("the answer %s failed", run.answer.id)
            self._receive(run, Failed(FAULT))

    def _answer(self, run: Run, tightened: Overflow | None) -> None:
        made = self._window.plan_for(run, tightened)
        if made.due is not None and tightened is None:
            self._summarise(run, made.due)
            if run.turn.over:
                return
            made = self._window.plan_for(run)
        try:
            self._replies.write(run, made)
        except EngineFailed as error:
            # An engine may count otherwise than we do: once more, with less.
            too_long = overflow(str(error)) if tightened is None else None
            if too_long is None or run.turn.text != run.begun:
                raise
            self._answer(run, too_long)

    def _gather(self, run: Run, sources: Sources, lookup: Lookup) -> None:
        """What the thread's files add. Files still being read are waited for, though not long
        while others wait for their answers."""
        thread_id = run.live.thread_id

        def given_up(waited: float) -> bool:
            return run.turn.halted or (waited > LONGEST_WAIT and bool(self._others_wait()))

        sources.settle(thread_id, lambda words: run.live.show("reading", words), given_up)
        if run.turn.halted:
            self._receive(run, Failed(""))
            return
        free = self._window.free_for(run)
        sources.inline(thread_id, self._window.path_of(run), free, self._window.tokens)
        run.retrieved = lookup.look(run)
        if run.turn.halted:
            self._receive(run, Failed(""))

    def _summarise(self, run: Run, due: Due) -> None:
        """The room is needed now: the reader sees what is done first, and can stop it."""
        count = len(due.messages)
        earlier = "1 earlier message" if count == 1 else f"{count:,} earlier messages"
        run.live.show("reading", f"Summarising {earlier} to make room.")
        asked, request = self._summaries.request(run.answer.id, due)
        text: str | None = ""
        try:
            text = aside(self._engine, request, run)
        except EngineFailed as error:
            # The answer goes on without notes: it says itself what is wrong with the engine.
            log.warning("no summary for %s: %s", run.answer.id, error)
        if text is None:
            self._receive(run, Failed(""))
        else:
            self._summaries.keep(run.live.thread_id, asked, text)
