"""Keeps a child alive and hands it one job at a time.

A child that dies takes only the job it was at with it; jobs that wait go to the next child, and
once so does one of which nothing had been heard.
Three deaths while loading within a minute are taken for a fault of the model: then it is left
alone for a minute. A child that had nothing to do for long is ended, for its memory's sake.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal

from webapp.engines.jobs import Job, Line
from webapp.engines.llama_link import COMMAND, Link
from webapp.engines.wire import Frame
from webapp.errors import Conflict, EngineFailed, ModelFileMissing, StrataError

State = Literal["ready", "loading", "unloaded", "failed"]

_DEATHS_TO_GIVE_UP: Final = 3
_SECONDS_TO_REMEMBER: Final = 60.0
_SECONDS_TO_STOP: Final = 2.0


class Host:
    """`settings` gives the first frame for a new child, or raises why there can be none."""

    def __init__(
        self,
        settings: Callable[[], Frame],
        command: Sequence[str] = COMMAND,
        *,
        unload_after_seconds: float = 0.0,
    ) -> None:
        self._settings = settings
        self._command = command
        self._unload_after = unload_after_seconds
        self._idle_timer: threading.Timer | None = None
        self._last_use = 0.0
        self._lock = threading.Lock()
        self._line = Line()
        self._link: Link | None = None
        self._current: Job | None = None
        self._sent: dict[int, Job] = {}
        self._deaths: list[float] = []
        self._closed = False
        self.state: State = "unloaded"
        self.problem = ""
        self.facts: Frame = {}

    @property
    def pid(self) -> int | None:
        """Of the living child, if there is one."""
        link = self._link
        return link.pid if link else None

    def start(self) -> None:
        """Begin loading and come back at once. EngineFailed if that cannot be begun."""
        with self._lock:
            self._start()

    def submit(self, job: Job) -> None:
        """Put a job in the line; a cancelled one ends at once. EngineFailed as in `start`."""
        with self._lock:
            if job.cancelled:
                job.end_cancelled()
                return
            self._start()
            self._last_use = time.monotonic()
            self._line.join(job)
            self._hand_over()

    def withdraw(self, job: Job) -> None:
        """End a job early, wherever it is. Its last reply comes through its inbox."""
        with self._lock:
            if job.cancelled:
                return
            job.cancelled = True
            if self._line.leave(job):
                job.end_cancelled()
            elif job is self._current and self._link:
                self._link.send({"task": "cancel", "job": job.number})
                self._kill_later(self._link, job)

    def unload(self) -> None:
        """End a child that has nothing to do; the next job starts one. Conflict when it has."""
        with self._lock:
            if self._sent or self._line.waits():
                raise Conflict("The model is answering.", do="Stop that first, or wait for it.")
            link, self._link, self.state = self._link, None, "unloaded"
            self.problem = ""
            if link:
                link.end()

    def close(self) -> None:
        """End the child and all jobs. Idempotent."""
        with self._lock:
            self._closed = True
            if self._idle_timer:
                self._idle_timer.cancel()
            link, self._link = self._link, None
            self.state = "unloaded"
            for job in [*self._line.take_all(), *self._sent.values()]:
                job.end_cancelled()
            self._sent.clear()
            self._current = None
        if link:
            link.close()

    def _start(self) -> None:
        if self._closed:
            raise EngineFailed("The model was closed.", do="Start Strata again.")
        if self._link:
            return
        if self._gave_up():
            raise EngineFailed(self.problem)
        try:
            settings = self._settings()
        except StrataError as fault:
            self.state, self.problem = "failed", str(fault)
            raise
        self._link = self._new_link()
        self.state, self.problem = "loading", ""
        self._link.send(settings)

    def _new_link(self) -> Link:
        try:
            return Link(self._command, self._heard, self._ended)
        except OSError as fault:
            error = EngineFailed(
                f"The model's process cannot be started: {fault.strerror or fault}.",
                do="Close other programs and ask again.",
            )
            self.state, self.problem = "failed", str(error)
            raise error from fault

    def _gave_up(self) -> bool:
        now = time.monotonic()
        self._deaths = [at for at in self._deaths if now - at < _SECONDS_TO_REMEMBER]
        return len(self._deaths) >= _DEATHS_TO_GIVE_UP

    def _hand_over(self) -> None:
        """Send what can be done now."""
        if self.state != "ready" or not self._link:
            return
        jobs = self._line.take_beside()
        if self._current is None:
            self._current = self._line.next()
            jobs += [self._current] if self._current else []
        for job in jobs:
            self._sent[job.number] = job
            self._link.send(job.frame)

    def _heard(self, link: Link, frame: Frame) -> None:
        with self._lock:
            if link is not self._link:
                return
            if frame["kind"] == "ready":
                self.state, self.facts = "ready", frame
                self._last_use = time.monotonic()
                self._look_later(link, self._unload_after)
                self._hand_over()
            elif frame["kind"] == "unloadable":
                self._link = None
                self._fail_all(ModelFileMissing(frame["what"], do=frame["do"]))
            else:
                self._deliver(frame)

    def _deliver(self, frame: Frame) -> None:
        job = self._sent.get(frame["job"])
        if job is None:
            return
        job.heard = True
        job.inbox.put(frame)
        if frame["last"]:
            del self._sent[job.number]
            self._last_use = time.monotonic()
            if job is self._current:
                self._current = None
            self._hand_over()

    def _ended(self, link: Link, code: int) -> None:
        with self._lock:
            if link is not self._link:
                return
            self._link = None
            self._fail_sent(code)
            if self.state == "loading":
                self._deaths.append(time.monotonic())
            if self._gave_up():
                self._fail_all(_gave_up_error(code))
                return
            try:
                self._start()
            except StrataError as fault:
                self._fail_all(fault)

    def _fail_sent(self, code: int) -> None:
        for job in self._sent.values():
            if job.cancelled:
                job.end_cancelled()
            elif job.heard or job.tried_again:
                job.inbox.put(_crashed(code))
            else:  # it may have died before it read the job: nobody has seen anything of it
                job.tried_again = True
                self._line.join(job)
        self._sent.clear()
        self._current = None

    def _fail_all(self, fault: StrataError) -> None:
        self.state, self.problem = "failed", str(fault)
        for job in self._line.take_all():
            job.inbox.put(fault)

    def _look_later(self, link: Link, seconds: float) -> None:
        if self._unload_after:
            self._idle_timer = threading.Timer(seconds, self._unload_if_idle, (link,))
            self._idle_timer.daemon = True
            self._idle_timer.start()

    def _unload_if_idle(self, link: Link) -> None:
        """With the lock held until the child has ended: no second one is loaded beside it."""
        with self._lock:
            if link is not self._link:
                return
            left = self._last_use + self._unload_after - time.monotonic()
            if self._sent or left > 0:
                self._look_later(link, left if left > 0 else self._unload_after)
                return
            link.end()
            self._link, self.state = None, "unloaded"

    def _kill_later(self, link: Link, job: Job) -> None:
        """A child that does not stop when told to is stopped by force."""
        timer = threading.Timer(_SECONDS_TO_STOP, self._kill_if_still, (link, job))
        timer.daemon = True
        timer.start()

    def _kill_if_still(self, link: Link, job: Job) -> None:
        with self._lock:
            if link is self._link and job is self._current:
                link.kill()


def _crashed(code: int) -> EngineFailed:
    return EngineFailed(
        f"The model's process ended unexpectedly ({_why(code)}).",
        do="Ask again: a new one is being started.",
    )


def _gave_up_error(code: int) -> EngineFailed:
    return EngineFailed(
        f"The model's process ended {_DEATHS_TO_GIVE_UP} times while loading the model "
        f"({_why(code)}).",
        do="Choose another model, or try again in a minute.",
    )


def _why(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
