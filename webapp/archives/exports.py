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
    ) -> Iterator[bytes]:
        """What `make(heard)` gives, which tells `heard` how far it is. It has begun when this is
        called; who takes no more pieces broke it off."""
        key, now = object(), Progress()
        self._note(whose, key, "running", now)

        def heard(progress: Progress) -> None:
            nonlocal now
            now = progress
            self._note(whose, key, "running", now, begun=True)

        def pieces() -> Iterator[bytes]:
            stage: Stage = "broken"
            try:
                yield from make(heard)
                stage = "ended"
            finally:
                self._note(whose, key, stage, now, begun=True)

        return pieces()

    def _note(
        self, whose: str, key: object, stage: Stage, now: Progress, *, begun: bool = False
    ) -> None:
        """An older one than the latest says nothing any more."""
        left = tuple(now.left) if stage != "running" else ()
        export = Export(stage, now.threads, now.total, now.messages, left)
        with self._lock:
            latest = self._latest.get(whose)
            if not begun or (latest is not None and latest[0] is key):
                self._latest[whose] = key, export
