"""How far the zips are that are being taken along, for their readers to see."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from webapp.archives.everything import Progress

Stage = Literal["running", "ended", "broken"]


@dataclass(frozen=True)
class Export:
    """At one moment; `left` are sentences about what could not come along."""

    stage: Stage
    threads: int = 0
    total: int = 0
    messages: int = 0
    left: tuple[str, ...] = ()


class Exports:
    """The latest of each person. Calls may come from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: dict[str, tuple[object, Export]] = {}

    def latest(self, whose: str) -> Export | None:
        with self._lock:
            found = self._latest.get(whose)
        return found[1] if found else None

    def watched(
        self, whose: str, make: Callable[[Callable[[Progress], None]], Iterator[bytes]]
    ) -> _Watched:
        """What `make(heard)` gives, which tells `heard` how far it is. It has begun when this is
        called; who closes it before its end broke it off."""
        return _Watched(self, whose, make)

    def note(
        self, whose: str, key: object, stage: Stage, now: Progress, *, begun: bool = False
    ) -> None:
        """An older one than the latest says nothing any more."""
        left = tuple(now.left) if stage != "running" else ()
        export = Export(stage, now.threads, now.total, now.messages, left)
        with self._lock:
            latest = self._latest.get(whose)
            if not begun or (latest is not None and latest[0] is key):
                self._latest[whose] = key, export


class _Watched(Iterator[bytes]):
    """`close` comes from who sends the pieces, also when they sent none."""

    def __init__(
        self,
        exports: Exports,
        whose: str,
        make: Callable[[Callable[[Progress], None]], Iterator[bytes]],
    ) -> None:
        self._exports = exports
        self._whose = whose
        self._now = Progress()
        self._is_over = False
        exports.note(whose, self, "running", self._now)
        self._pieces = make(self._heard)

    def __next__(self) -> bytes:
        try:
            return next(self._pieces)
        except StopIteration:
            self._end("ended")
            raise
        except BaseException:
            self._end("broken")
            raise

    def close(self) -> None:
        self._end("broken")
        closing = getattr(self._pieces, "close", None)
        if closing is not None:
            closing()

    def _heard(self, progress: Progress) -> None:
        self._now = progress
        self._exports.note(self._whose, self, "running", progress, begun=True)

    def _end(self, stage: Stage) -> None:
        if not self._is_over:
            self._is_over = True
            self._exports.note(self._whose, self, stage, self._now, begun=True)
