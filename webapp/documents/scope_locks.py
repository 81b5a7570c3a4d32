"""One writer at a time for the files of a scope."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from webapp.documents.scope import Scope


class ScopeLocks:
    """Locks by table. One may be taken again by who holds it; none is held while another is
    waited for."""

    def __init__(self) -> None:
        self._table = threading.Lock()
        self._locks: dict[str, threading.RLock] = {}

    @contextmanager
    def hold(self, scope: Scope) -> Iterator[None]:
        with self._table:
            lock = self._locks.setdefault(scope.table, threading.RLock())
        with lock:
            yield
