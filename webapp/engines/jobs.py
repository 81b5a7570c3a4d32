"""What waits for a model, and who is next."""

from __future__ import annotations

import itertools
import queue
from enum import IntEnum
from typing import Final

from webapp.engines.wire import Frame
from webapp.errors import StrataError

_numbers: Final = itertools.count(1)


class Urgency(IntEnum):
    """Who goes first. Within one urgency, who came first."""

    ANSWER = 0
    QUERY = 1
    PASSAGE = 2


class Job:
    """One task for the child. Replies come through `inbox`; the last one has `last` set."""

    def __init__(self, frame: Frame, urgency: Urgency | None, request_id: str = "") -> None:
        self.number = next(_numbers)
        self.frame: Frame = {**frame, "job": self.number}
        self.urgency = urgency
        self.request_id = request_id
        self.cancelled = False
        self.heard = False  # any reply has come
        self.tried_again = False
        self.inbox: queue.SimpleQueue[Frame | StrataError] = queue.SimpleQueue()

    @property
    def beside(self) -> bool:
        """It needs no turn: the child does it beside what it computes."""
        return self.urgency is None

    def end_cancelled(self) -> None:
        self.inbox.put({"job": self.number, "kind": "cancelled", "last": True})


class Line:
    """The jobs that wait. Not safe for threads by itself."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def join(self, job: Job) -> None:
        self._jobs.append(job)

    def leave(self, job: Job) -> bool:
        """False if it was not in the line."""
        if job not in self._jobs:
            return False
        self._jobs.remove(job)
        return True

    def waits(self) -> bool:
        return bool(self._jobs)

    def next(self) -> Job | None:
        """Take out the most urgent; jobs `beside` are not meant."""
        waiting = [job for job in self._jobs if not job.beside]
        job = min(waiting, key=lambda job: (job.urgency, job.number), default=None)
        if job is not None:
            self._jobs.remove(job)
        return job

    def take_beside(self) -> list[Job]:
        """Take out all jobs that need no turn."""
        taken = [job for job in self._jobs if job.beside]
        self._jobs = [job for job in self._jobs if not job.beside]
        return taken

    def take_all(self) -> list[Job]:
        taken, self._jobs = self._jobs, []
        return taken
