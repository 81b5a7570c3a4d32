"""Who is connected, so that no address takes all there is: each connection holds a thread and an
open file."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable

from webapp.people.throttle import guest_at

# A browser opens six at once and one for each answer that it shows being written; behind one
# address may be a household.
MOST_OF_ONE_ADDRESS = 256


class Callers:
    """At most `most` at once from one address, or from one house's network. Calls may come from
    any thread."""

    def __init__(self, most: int = MOST_OF_ONE_ADDRESS) -> None:
        self._most = most
        self._open: dict[Hashable, str] = {}
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def come(self, line: Hashable, address: str) -> bool:
        """Whether there is room for one more, which is taken then by that line."""
        where = guest_at(address)
        with self._lock:
            if self._counts[where] >= self._most:
                return False
            self._open[line] = where
            self._counts[where] += 1
            return True

    def leave(self, line: Hashable) -> None:
        """One that never came, or has left, leaves nothing."""
        with self._lock:
            where = self._open.pop(line, "")
            self._counts[where] -= 1
            if self._counts[where] <= 0:
                del self._counts[where]
