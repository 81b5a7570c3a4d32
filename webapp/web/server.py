"""The embedded web server: Werkzeug's, one thread a connection, ended by a signal within seconds.

Measured against gunicorn and gevent before it was chosen: it starves at no number of sockets,
delivers large frames, and runs on every system. Not for the open internet.
"""

from __future__ import annotations

import errno
import logging
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from webapp.errors import AlreadyRunning, StorageFailed

NEXT_PORTS = 20
SILENT_SECONDS = 30
log = logging.getLogger(__name__)


class QuietRequests(WSGIRequestHandler):
    """Requests are not logged one by one; faults go to the log, never to the terminal. Who
    connects and then says nothing is let go; a websocket has pings for that."""

    timeout = SILENT_SECONDS

    def run_wsgi(self) -> None:
        if self.headers.get("Upgrade", "").lower() == "websocket":
            self.connection.settimeout(None)
        super().run_wsgi()

    def log(self, type: str, message: str, *args: object) -> None:
        if type == "error":
            log.warning(message, *args)


class PageServer:
    """Bound from construction on. Raises AlreadyRunning when the port is taken."""

    def __init__(self, app: Flask, host: str, port: int) -> None:
        self._server = _bound(app, host, port)
        self._server.daemon_threads = True  # type: ignore[attr-defined]
        self.port = self._server.port
        self.address = f"http://{_written(host)}:{self._server.port}"

    def serve_until_signal(self, on_end: Callable[[], None]) -> None:
        """Answer requests until SIGINT or SIGTERM; then `on_end`, while pages still answer, so
        that open ones learn how their answers ended."""
        end = threading.Event()

        def ask_to_end(number: int, frame: FrameType | None) -> None:
            del frame
            end.set()
            # Who asks twice does not want to wait.
            signal.signal(number, signal.SIG_DFL)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, ask_to_end)
        serving = threading.Thread(target=self._server.serve_forever, name="web", daemon=True)
        serving.start()
        # A wait without a time-out cannot be interrupted by a signal on Windows.
        while not end.wait(0.5):
            pass
        on_end()
        self._server.shutdown()
        self._server.server_close()
        serving.join(timeout=2)


def _bound(app: Flask, host: str, port: int) -> BaseWSGIServer:
    # Werkzeug itself ends the process when the port is taken, so it is tried first.
    try:
        listening = socket.create_server((host, port), backlog=128, family=_family(host))
    except OSError as error:
        raise _refused(host, port, error) from error
    server = make_server(
        host, port, app, threaded=True, request_handler=QuietRequests, fd=listening.fileno()
    )
    # The server has duplicated the descriptor.
    listening.close()
    return server


def _refused(host: str, port: int, error: OSError) -> AlreadyRunning | StorageFailed:
    if error.errno == errno.EADDRINUSE:
        return AlreadyRunning(
            f"Port {port} is taken by another program.",
            do=f"Start with --port {_free_port(host, port) or 'and another number'}.",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return AlreadyRunning(f"Port {port} may not be used by you.", do="Start with --port 5100.")
    return AlreadyRunning(
        f"{host} is no address of this machine ({error.strerror}).",
        do="Start with --host 127.0.0.1.",
    )


def _free_port(host: str, port: int) -> int:
    for other in range(port + 1, min(port + NEXT_PORTS, 65535) + 1):
        with socket.socket(_family(host)) as probe:
            try:
                probe.bind((host, other))
            except OSError:
                continue
            return other
    return 0


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host
