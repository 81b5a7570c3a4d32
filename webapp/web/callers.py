"""Who is connected, so that no address takes all there is, and all together leave some: each
connection holds a thread and an open file, and what is said has to be written to files, too."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable
from contextlib import suppress

from webapp.people.throttle import guest_at

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None  # type: ignore[assignment]

# A browser opens six at once and one for each answer that it shows being written; behind one
# address may be a household.
MOST_OF_ONE_ADDRESS = 256
MOST_OF_ALL = 1024
# As many as a system gives without being asked are too few for a household.
_WANTED_FILES = 4096


def room_for_all() -> int:
    """How many connections may be open at once: half of the files that this process may open,
    after asking the system for more."""
    if resource is None:
        return MOST_OF_ALL
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # what the system does not give is done without
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return MOST_OF_ALL if soft == resource.RLIM_INFINITY else min(MOST_OF_ALL, soft // 2)


class Callers:
    """At most `most` at once from one address, or from one house's network, and `most_of_all`
    together. Calls may come from any thread."""

    def __init__(self, most: int = MOST_OF_ONE_ADDRESS, most_of_all: int = MOST_OF_ALL) -> None:
        self._most = most
        self._most_of_all = most_of_all
        self._open: dict[Hashable, str] = {}
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def come(self, line: Hashable, address: str) -> bool:
        """Whether there is room for one more, which is taken then by that line."""
        where = guest_at(address)
        with self._lock:
            if self._counts[where] >= self._most or len(self._open) >= self._most_of_all:
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
