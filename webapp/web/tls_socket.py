"""A TLS connection in which one thread reads while another writes, as websockets need it."""

from __future__ import annotations

import selectors
import ssl
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

SILENT_SECONDS: Final = 30.0
_Result = TypeVar("_Result")


class TlsSocket:
    """OpenSSL lets only one thread at a time into a connection, and Python before 3.13 does not
    see to it. So nothing here waits inside of it. Whoever begins a piece of TLS and does not end
    it within SILENT_SECONDS is given up with TimeoutError."""

    def __init__(self, inner: ssl.SSLSocket) -> None:
        inner.setblocking(False)
        self._inner = inner
        self._in_use = threading.Lock()

    def recv(self, size: int) -> bytes:
        """At least all that was decrypted, however much: `select` sees only what was not."""

        def read() -> bytes:
            data = self._inner.recv(size)
            while data and (left := self._inner.pending()):
                data += self._inner.recv(left)
            return data

        return self._wait(read, SILENT_SECONDS)

    def send(self, data: bytes) -> int:
        return self._wait(lambda: self._inner.send(data), None)

    def sendall(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self.send(left) :]  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _wait(self, work: Callable[[], _Result], seconds: float | None) -> _Result:
        while True:
            try:
                with self._in_use:
                    return work()
            except ssl.SSLWantReadError:
                awaited = selectors.EVENT_READ
            except ssl.SSLWantWriteError:
                awaited = selectors.EVENT_WRITE
            except BlockingIOError as error:
                # It was shut down by another thread, and is plain from then on.
                raise ConnectionError from error
            self._ready(awaited, seconds)

    def _ready(self, awaited: int, seconds: float | None) -> None:
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self._inner, awaited)
            except ValueError as error:
                raise ConnectionError from error
            if not selector.select(seconds):
                raise TimeoutError
