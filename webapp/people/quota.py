"""How much one person may take of what is dear, within a while. Pure: moments come in as
milliseconds."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque

from webapp.errors import TooOften

_MOST_PEOPLE = 1000


class Quota:
    """`most` within any `window_ms`, of what `what` says in the plural. Calls may come from any
    thread."""

    def __init__(self, most: int, window_ms: int, what: str) -> None:
        self._most, self._window_ms, self._what = most, window_ms, what
        self._taken: OrderedDict[str, deque[tuple[int, int]]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, person: str, amount: int, now: int) -> None:
        """Raises TooOften, with nothing taken, when it is more than is left. What is more than all
        at once is let through once nothing else was taken."""
        with self._lock:
            taken = self._taken.pop(person, deque())
            self._taken[person] = taken
            while taken and now - taken[0][0] >= self._window_ms:
                taken.popleft()
            if taken and sum(each for _, each in taken) + amount > self._most:
                seconds = -(-(taken[0][0] + self._window_ms - now) // 1000)
                raise TooOften(
                    f"That is more {self._what} than one person may send in so short a time.",
                    do=f"Try again in {_words(seconds)}.",
                    seconds=seconds,
                )
            taken.append((now, amount))
            if len(self._taken) > _MOST_PEOPLE:
                self._taken.popitem(last=False)


def _words(seconds: int) -> str:
    minutes = -(-seconds // 60)
    if seconds <= 1:
        return "a second"
    return f"{seconds} seconds" if minutes == 1 else f"{minutes} minutes"
