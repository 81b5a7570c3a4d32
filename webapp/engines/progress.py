"""How a long fetch tells how far it is, and how it is stopped."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from webapp.errors import StrataError

_WINDOW_SECONDS = 5.0
_LEAST_SECONDS_BETWEEN = 0.1


class Stopped(StrataError):
    """A person stopped the fetch; what came so far is kept and used next time."""

    def __init__(self, title: str) -> None:
        super().__init__(
            f"Fetching {title} was stopped.",
            do="Start it again: it goes on where it stopped.",
        )


@dataclass(frozen=True)
class Step:
    """`stage` is words for a reader ("downloading part 3 of 22"); `done` and `total` are bytes of
    that stage's work; `rate` is bytes per second, None until it is known, as is `seconds_left`."""

    stage: str
    done: int
    total: int
    rate: float | None = None
    seconds_left: float | None = None


class Progress(Protocol):
    """Called from the thread that fetches, at most ten times a second and once per new stage."""

    def __call__(self, step: Step) -> None: ...


def silent(step: Step) -> None:
    """A Progress that tells nobody."""


class Meter:
    """Turns byte counts into steps: rate over the last seconds, time left, not too often."""

    def __init__(
        self,
        progress: Progress,
        title: str,
        cancel: Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._progress = progress
        self._title = title
        self._cancel = cancel
        self._clock = clock
        self._kind = self._stage = ""
        self._told = -1.0
        self._samples: deque[tuple[float, int]] = deque()

    def report(self, stage: str, done: int, total: int) -> None:
        """Raises Stopped once `cancel` is set, so every report is a place to stop at."""
        self.check()
        now = self._clock()
        self._sample(stage, now, done)
        if stage == self._stage and done < total and now - self._told < _LEAST_SECONDS_BETWEEN:
            return
        self._stage, self._told = stage, now
        rate = self._rate()
        left = (total - done) / rate if rate else None
        self._progress(Step(stage, done, total, rate, left))

    def check(self) -> None:
        if self._cancel.is_set():
            raise Stopped(self._title)

    def wait(self, seconds: float) -> None:
        """Waits, but not longer than until `cancel`. Raises Stopped."""
        self._cancel.wait(seconds)
        self.check()

    def _sample(self, stage: str, now: float, done: int) -> None:
        kind = stage.partition(" ")[0]  # "downloading part 3" and "part 4" are one run of bytes
        if kind != self._kind or (self._samples and done < self._samples[-1][1]):
            self._samples.clear()
        self._kind = kind
        self._samples.append((now, done))
        while now - self._samples[0][0] > _WINDOW_SECONDS and len(self._samples) > 2:
            self._samples.popleft()

    def _rate(self) -> float | None:
        (begin, first), (end, last) = self._samples[0], self._samples[-1]
        return (last - first) / (end - begin) if last > first and end > begin else None
