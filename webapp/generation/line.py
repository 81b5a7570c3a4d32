"""Which answers are being made, and who is next.

Answers that were planned together know each other: stopping one drops those still waiting.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from webapp.chat.messages import Message
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.turn import Save, Turn


@dataclass(eq=False)
class Run:
    """One answer being made. `good` is the version that was shown before it, if any; `begun` the
    words it goes on from; `plan` names the act it belongs to; `left_out` counts the oldest parts
    of the conversation that did not fit into the window."""

    answer: Message
    live: LiveAnswer
    turn: Turn
    good: str | None = None
    begun: str = ""
    plan: str = ""
    left_out: int = 0
    unsaved: Save | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)


class Line:
    """Its own lock is held only for a moment and never while another is taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, Run] = {}
        self._waiting: list[Run] = []

    def join(self, run: Run) -> None:
        with self._lock:
            self._runs[run.answer.id] = run
            self._waiting.append(run)

    def call(self, run: Run) -> bool:
        """Its turn has come, or it gives up its place; False if it does not wait any more."""
        with self._lock:
            waits = run in self._waiting
            if waits:
                self._waiting.remove(run)
            return waits

    def leave(self, run: Run) -> None:
        with self._lock:
            self._runs.pop(run.answer.id, None)

    def find(self, message_id: str) -> Run | None:
        return self._runs.get(message_id)

    def runs(self) -> list[Run]:
        with self._lock:
            return list(self._runs.values())

    def waiting(self) -> list[Run]:
        with self._lock:
            return list(self._waiting)

    def drop_planned_with(self, run: Run) -> list[Run]:
        """Those of the same plan that still wait leave the line; returns them."""
        with self._lock:
            dropped = [each for each in self._waiting if each.plan == run.plan and each is not run]
            self._waiting = [each for each in self._waiting if each not in dropped]
            for each in dropped:
                self._runs.pop(each.answer.id, None)
            return dropped
