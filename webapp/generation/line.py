"""Which answers are being made, and who is next.

People take turns, and the threads of each: of those that wait, who was served the longest ago is
next, so that four versions for one reader, or ten threads, do not keep another waiting for all.
Answers that were planned together know each other: stopping one drops those still waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from webapp.chat.messages import Message
from webapp.chat.prompt import Part
from webapp.chat.window import Plan
from webapp.errors import TooOften
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.excerpts import Retrieved
from webapp.generation.turn import Save, Turn

REMEMBERED = 1000
# Answers of one person, when there are several people.
MOST_OF_ONE = 6
AGAIN_SECONDS = 10


@dataclass(eq=False)
class Run:
    """One answer being made. `good` is the version that was shown before it, if any; `begun` the
    words it goes on from; `plan` names the act it belongs to; `zone` is
    where its reader is, `person` who asked; `plan_made` is the window's plan,
    `retrieved` what files add to it, `sent` what the engine got, and `record` what is kept of it
    with the answer."""

    answer: Message
    live: LiveAnswer
    turn: Turn
    good: str | None = None
    begun: str = ""
    plan: str = ""
    zone: str = ""
    person: str = ""
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
        # Person or thread -> number of the last answer begun.
        self._served: dict[tuple[str, str], int] = {}
        self._count = 0
        self._closed = False

    def join(self, run: Run) -> None:
        with self._changed:
            self._runs[run.answer.id] = run
            self._waiting.append(run)
            self._changed.notify_all()

    def refuse_too_many(self, person: str, more: int = 1) -> None:
        """Raises TooOften when with `more` of them too many answers of that person would be being
        made or wait. Nobody in particular may have as many as they like."""
        under_way = sum(run.person == person for run in self.runs())
        if person and under_way + more > MOST_OF_ONE:
            raise TooOften(
                f"There can be {MOST_OF_ONE} answers at once for you; {under_way} are on the way.",
                do="Wait for one of them or stop it, then send again; your text is kept.",
                seconds=AGAIN_SECONDS,
            )

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
            # Of those served equally long ago, who came first.
            run = min(waiting, key=lambda each: [served.get(key, 0) for key in _keys(each)])
            waiting.remove(run)
            count += 1
            served.update(dict.fromkeys(_keys(run), count))
            yield run

    def _note_served(self, run: Run) -> None:
        self._count += 1
        for key in _keys(run):
            self._served.pop(key, None)
            self._served[key] = self._count
        while len(self._served) > REMEMBERED:
            del self._served[next(iter(self._served))]


def _keys(run: Run) -> tuple[tuple[str, str], ...]:
    """By whose turns it waits: first the person's, then the thread's."""
    return ("person", run.person), ("thread", run.live.thread_id)
