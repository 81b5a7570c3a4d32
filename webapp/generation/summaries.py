"""Notes that stand for what no longer fits: made in idle time, or before an answer that needs the
room. What comes to nothing is remembered, so that the same messages are not read again."""

from __future__ import annotations

import logging
from collections.abc import Callable

from webapp.chat.compaction import Due, SummaryRequest, with_earlier
from webapp.chat.summary import Summary, kept_failure, kept_summary, summary_at
from webapp.chat.summary_answer import Refused, summary_from
from webapp.engines.engine import Engine, Request, Sampling
from webapp.errors import StrataError
from webapp.generation.idle import IdleWork
from webapp.generation.line import Run
from webapp.generation.window import Window
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

CALM = Sampling(temperature=0.2)
UNREACHED = "The model gave no summary."


class Summaries:
    """`clock_ms` gives milliseconds since 1970."""

    def __init__(
        self,
        idle: IdleWork,
        engine: Engine,
        library: ThreadLibrary,
        window: Window,
        clock_ms: Callable[[], int],
    ) -> None:
        self._idle = idle
        self._engine = engine
        self._library = library
        self._window = window
        self._clock_ms = clock_ms

    def answered(self, run: Run) -> None:
        """That answer is over: what will be out of the window next time is due now."""
        self.look(run.live.thread_id, run.answer.id)

    def look(self, thread_id: str, at: str) -> None:
        """Make notes in idle time if they are due on the path through `at`."""
        try:
            self._add(thread_id, lambda: self._window.outlook(thread_id, at=at).due)
        except StrataError as error:
            log.info("no look at the window of %s: %s", thread_id, error)

    def write(self, thread_id: str, at: str | None) -> bool:
        """Make notes as soon as nobody waits for an answer, because a person wants them now;
        False when there is nothing to note."""
        return self._add(thread_id, lambda: self._window.due(thread_id, at))

    def _add(self, thread_id: str, look: Callable[[], Due | None]) -> bool:
        due = look()
        if due is not None:
            self._idle.add(SummaryJob(self, thread_id, due.node_id, look))
        return due is not None

    def expected(self, thread_id: str) -> bool:
        """Whether notes of that thread are being made, or will be when it is quiet."""
        return any(key.startswith(f"summary-{thread_id}-") for key in self._idle.jobs())

    def request(self, id: str, due: Due) -> tuple[SummaryRequest, Request]:
        asked = self._window.summary_request(due)
        return asked, self._window.request(id, asked.parts, asked.max_tokens, CALM)

    def keep(self, thread_id: str, asked: SummaryRequest, text: str) -> None:
        """The notes of a reply, or why it has none, where they end in the thread (durable). A
        person may have changed the earlier notes meanwhile: what they wrote counts."""
        current = with_earlier(asked, self._earlier(thread_id, asked.due))
        if current is None:
            log.info("the notes in %s were changed meanwhile; new ones come later", thread_id)
            return
        model, now = self._engine.describe().model, self._clock_ms()
        made = (
            summary_from(text, current, now_ms=now, model=model, tokens=self._window.tokens)
            if text
            else Refused(UNREACHED)
        )
        if isinstance(made, Refused):
            log.info("no summary in %s: %s", thread_id, made.reason)
            facts = kept_failure(made.reason, now, model)
        else:
            facts = kept_summary(made)
        self._library.marks.keep(thread_id, asked.due.node_id, facts)

    def _earlier(self, thread_id: str, due: Due) -> Summary | None:
        if not due.earlier_at:
            return None
        return summary_at(self._library.message(thread_id, due.earlier_at))


class SummaryJob:
    """One summary in idle time. `look` tells what is due when its turn has come: others may have
    made these notes by then, and a person may have changed those before them."""

    def __init__(
        self, owner: Summaries, thread_id: str, node_id: str, look: Callable[[], Due | None]
    ) -> None:
        self._owner = owner
        self._thread_id = thread_id
        self._look = look
        self._asked: SummaryRequest | None = None
        self.key = f"summary-{thread_id}-{node_id}"

    def request(self) -> Request | None:
        self._asked = None
        due = self._look()
        if due is None:
            return None
        self._asked, request = self._owner.request(self.key, due)
        return request

    def enough(self, _text: str, /) -> bool:
        return False

    def done(self, text: str | None) -> None:
        if self._asked is not None and text is not None:
            self._owner.keep(self._thread_id, self._asked, text)
