"""Which answers are being made, and who is next.

Threads take turns: of those that wait, the one whose last answer was begun the longest ago is
next, so that four versions for one reader do not keep another waiting for all four. Answers that
were planned together know each other: stopping one drops those still waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from webapp.chat.messages import Message
from webapp.chat.prompt import Part
from webapp.chat.window import Plan
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.excerpts import Retrieved
from webapp.generation.turn import Save, Turn

REMEMBERED = 1000


@dataclass(eq=False)
class Run:
    """One answer being made. `good` is the version that was shown before it, if any; `begun` the
    words it goes on from; `plan` names the act it belongs to; `zone` is
    where its reader is; `plan_made` is the window's plan,
    `retrieved` what files add to it, `sent` what the engine got, and `record` what is kept of it
    with the answer."""

    answer: Message
    live: LiveAnswer
    turn: Turn
    good: str | None = None
    begun: str = ""
    plan: str = ""
    zone: str = ""
    plan_made: Plan | None = None
    retrieved: Retrieved = field(default_factory=Retrieved)
    sent: tuple[Part, ...] = ()
    record: dict[str, Any] = field(default_factory=dict)
    unsaved: Save | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)


class Line:
    """Its own lock is held only for a moment and never while another is taken."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._runs: dict[str, Run] = {}
        self._waiting: list[Run] = []
        self._served: dict[str, int] = {}  # thread id -> number of the last answer begun
        self._count = 0
        self._closed = False

    def join(self, run: Run) -> None:
        with self._changed:
            self._runs[run.answer.id] = run
            self._waiting.append(run)
            self._changed.notify_all()

    def take(self) -> Run | None:
        """The next one, as soon as there is one; None once the line is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            run = next(self._in_turn(), None)
            if run is not None:
                self._waiting.remove(run)
                self._note_served(run)
            return run

    def give_up(self, run: Run) -> bool:
        """It leaves its place; False if it does not wait any more."""
        with self._changed:
            waits = run in self._waiting
            if waits:
                self._waiting.remove(run)
            return waits

    def leave(self, run: Run) -> None:
        """It is over."""
        with self._changed:
            self._runs.pop(run.answer.id, None)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def find(self, message_id: str) -> Run | None:
        return self._runs.get(message_id)

    def runs(self) -> list[Run]:
        with self._changed:
            return list(self._runs.values())

    def waiting(self) -> list[Run]:
        """In the order in which they will be taken, if nobody else comes."""
        with self._changed:
            return list(self._in_turn())

    def drop_planned_with(self, run: Run) -> list[Run]:
        """Those of the same plan that still wait leave the line; returns them."""
        with self._changed:
            dropped = [each for each in self._waiting if each.plan == run.plan and each is not run]
            self._waiting = [each for each in self._waiting if each not in dropped]
            for each in dropped:
                self._runs.pop(each.answer.id, None)
            return dropped

    def _in_turn(self) -> Iterator[Run]:
        waiting, served, count = list(self._waiting), dict(self._served), self._count
        while waiting:
            # Of threads served equally long ago, and within a thread, who came first.
            run = min(waiting, key=lambda each: served.get(each.live.thread_id, 0))
            waiting.remove(run)
            count += 1
            served[run.live.thread_id] = count
            yield run

    def _note_served(self, run: Run) -> None:
        self._count += 1
        self._served.pop(run.live.thread_id, None)
        self._served[run.live.thread_id] = self._count
        if len(self._served) > REMEMBERED:
            del self._served[next(iter(self._served))]
