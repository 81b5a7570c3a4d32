"""A socket whose sends are whole, one at a time, and given up when the other side stalls."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

STALLED_SECONDS: Final = 5.0


class StallWatch:
    """Shuts sockets down in which one send takes longer than `seconds`: a reader that stopped
    reading would hold its thread for ever, pings or not. One thread for all sockets."""

    def __init__(self, seconds: float = STALLED_SECONDS) -> None:
        self._seconds = seconds
        self._sending: dict[socket.socket, float] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def watching(self, sending: socket.socket) -> Iterator[None]:
        with self._changed:
            self._sending[sending] = time.monotonic() + self._seconds
            self._begin_to_watch()
        try:
            yield
        finally:
            with self._changed:
                del self._sending[sending]

    def _begin_to_watch(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="stall-watch", daemon=True)
            self._thread.start()
        elif len(self._sending) == 1:
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while True:
                late = time.monotonic()
                for sending, deadline in self._sending.items():
                    if deadline <= late:
                        _shut_down(sending)
                # Half a period late at most; while nothing is sent, it sleeps.
                self._changed.wait(self._seconds / 2 if self._sending else None)


class SteadySocket:
    """Wraps the socket of a websocket, whose own thread answers pings while ours sends; its
    `send` must not interleave with another, nor send but a part."""

    def __init__(self, inner: socket.socket, watch: StallWatch) -> None:
        self._inner = inner
        self._watch = watch
        self._one_at_a_time = threading.Lock()

    def send(self, data: bytes) -> int:
        with self._one_at_a_time, self._watch.watching(self._inner):
            self._inner.sendall(data)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _shut_down(stalled: socket.socket) -> None:
    # It may have ended by itself meanwhile.
    with contextlib.suppress(OSError):
        stalled.shutdown(socket.SHUT_RDWR)
