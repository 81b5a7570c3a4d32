"""Work that nobody waits for: one thread, one job at a time, in the order in which they came."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from webapp.errors import StrataError

log = logging.getLogger(__name__)


class Background:
    """A job that fails is logged; the others go on. Starts its thread with the first job."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: dict[str, Callable[[], object]] = {}
        self._later: dict[str, tuple[float, Callable[[], object]]] = {}
        self._busy = False
        self._closed = False
        self._thread: threading.Thread | None = None

    def add(self, key: str, job: Callable[[], object], after_seconds: float = 0.0) -> None:
        """Of those that wait with one key only the first is done; of those for `after_seconds`
        the last. Nobody waits for one that is not due, and closing forgets it."""
        with self._changed:
            if self._closed:
                return
            if after_seconds > 0:
                self._later[key] = time.monotonic() + after_seconds, job
            else:
                self._jobs.setdefault(key, job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="documents", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def is_closed(self) -> bool:
        """For long jobs, which should then end."""
        return self._closed

    def wait(self, timeout_seconds: float) -> bool:
        """Until nothing is left to do; False when that took too long."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not self._jobs and not self._busy, timeout_seconds
            )

    def stop(self) -> None:
        """Jobs that did not begin are forgotten; the one in hand hears of it by `is_closed`."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            self._later.clear()
            self._changed.notify_all()

    def close(self) -> None:
        """Stop, and wait for the one in hand. Idempotent."""
        self.stop()
        if self._thread and self._thread is not threading.current_thread():
            self._thread.join(timeout=10)

    def _work(self) -> None:
        while (taken := self._next()) is not None:
            key, job = taken
            try:
                job()
            except StrataError as error:
                log.warning("%s: %s", key, error)
            except Exception:
                log.exception("%s failed", key)
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _next(self) -> tuple[str, Callable[[], object]] | None:
        with self._changed:
            while not (self._closed or self._jobs):
                self._changed.wait(self._take_due())
            if self._closed:
                return None
            key = next(iter(self._jobs))
            self._busy = True
            return key, self._jobs.pop(key)

    def _take_due(self) -> float | None:
        """Put those that are due in line; seconds until the next is, None without any."""
        now = time.monotonic()
        for key in [key for key, (due, _) in self._later.items() if due <= now]:
            self._jobs.setdefault(key, self._later.pop(key)[1])
        if self._jobs:
            return 0.0
        return min((due for due, _ in self._later.values()), default=now) - now or None
