"""One lock per conversation thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class _Seat:
    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0


class ThreadLocks:
    """Locks by thread id. The table itself is never held while waiting for one of them, and
    forgets a lock when nobody holds it or waits for it."""

    def __init__(self) -> None:
        self._table = threading.Lock()
        self._seats: dict[str, _Seat] = {}

    def __len__(self) -> int:
        """How many locks are held or waited for."""
        return len(self._seats)

    @contextmanager
    def hold(self, thread_id: str) -> Iterator[None]:
        """Not to be taken twice by the same caller."""
        with self._table:
            seat = self._seats.setdefault(thread_id, _Seat())
            seat.waiting += 1
        try:
            with seat.lock:
                yield
        finally:
            with self._table:
                seat.waiting -= 1
                if not seat.waiting:
                    del self._seats[thread_id]
