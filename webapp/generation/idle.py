"""Small jobs for the model, such as a title, done while nobody waits for an answer.

A question that comes meanwhile goes first: the job is broken off and done later.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final, Protocol

from webapp.engines.engine import Engine, Finished, Request, Text
from webapp.errors import StrataError

log = logging.getLogger(__name__)

ATTEMPTS: Final = 3


class IdleJob(Protocol):
    """One request to the model and what becomes of its words."""

    @property
    def key(self) -> str:
        """Names the job and its request; of two with one key only one is done."""

    def request(self) -> Request | None:
        """What to ask, made just before it is asked; None when there is nothing left to do."""

    def enough(self, text: str, /) -> bool:
        """Whether the words so far will do."""

    def done(self, text: str | None) -> None:
        """Take the words; empty when the model failed, None when it was broken off too often."""


class IdleWork:
    """Does one job at a time, in the order in which they came, while `quiet` says so."""

    def __init__(self, engine: Engine, quiet: Callable[[], bool]) -> None:
        self._engine = engine
        self._quiet = quiet
        self._changed = threading.Condition()
        self._jobs: dict[str, IdleJob] = {}
        self._attempts: dict[str, int] = {}
        self._current = ""
        self._ending = ""
        self._broken_off = False
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="idle", daemon=True)
        self._thread.start()

    def add(self, job: IdleJob) -> None:
        """While the words of a job are being taken, another of its key may come: what they are
        good for may have changed since they were asked for."""
        with self._changed:
            self._jobs.setdefault(job.key, job)
            self._changed.notify_all()

    def look(self) -> None:
        """It may have become quiet."""
        with self._changed:
            self._changed.notify_all()

    def break_off(self) -> None:
        """Somebody asks: the job in hand ends within the time that the engine takes to stop."""
        with self._changed:
            self._broken_off = True
            current = self._current
        if current:
            self._engine.cancel(current)

    def pending(self, key: str) -> bool:
        return key in self.jobs()

    def jobs(self) -> tuple[str, ...]:
        """Keys of the jobs that are not done yet, each once."""
        with self._changed:
            ending = {self._ending: None} if self._ending else {}
            return tuple(ending | dict.fromkeys(self._jobs))

    def close(self) -> None:
        """Idempotent. Jobs not done are forgotten."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.break_off()
        self._thread.join(timeout=3)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            text: str | None = ""
            try:
                text = self._ask(job)
            except StrataError as error:
                log.info("%s: %s", job.key, error)
            except Exception:
                log.exception("%s failed", job.key)
            self._end(job, text)

    def _next(self) -> IdleJob | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (self._jobs and self._quiet()))
            if self._closed:
                return None
            job = next(iter(self._jobs.values()))
            self._current, self._broken_off = job.key, False
            return job

    def _ask(self, job: IdleJob) -> str | None:
        """The words; None if it was broken off before there were enough."""
        request = job.request()
        if request is None:
            return ""
        text = ""
        for event in self._engine.generate(request):
            if isinstance(event, Text):
                text += event.piece
                if job.enough(text):
                    return text
            if self._broken_off:
                self._engine.cancel(job.key)
            if isinstance(event, Finished) and event.reason == "cancelled":
                return None
        return text

    def _end(self, job: IdleJob, text: str | None) -> None:
        with self._changed:
            self._current = ""
            if text is None and self._tries_again(job.key):
                return
            del self._jobs[job.key]
            self._attempts.pop(job.key, None)
            self._ending = job.key
        try:
            if not self._closed:
                job.done(text)
        except StrataError as error:
            log.warning("%s came to nothing: %s", job.key, error)
        except Exception:
            log.exception("%s failed", job.key)
        with self._changed:
            self._ending = ""

    def _tries_again(self, key: str) -> bool:
        """Whether one that was broken off stays to be done; each time is counted."""
        self._attempts[key] = self._attempts.get(key, 0) + 1
        return not self._closed and self._attempts[key] < ATTEMPTS
