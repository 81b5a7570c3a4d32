"""The embedded web server: Werkzeug's, one thread a connection, ended by a signal within seconds.

Measured against gunicorn and gevent before it was chosen: it starves at no number of sockets,
delivers large frames, and runs on every system. Not for the open internet.
"""

from __future__ import annotations

import errno
import io
import logging
import signal
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import FrameType
from typing import Any

from flask import Flask
from werkzeug.serving import BaseWSGIServer, ThreadedWSGIServer, WSGIRequestHandler

from webapp.errors import AlreadyRunning, StorageFailed
from webapp.web.callers import Callers, room_for_all
from webapp.web.incoming import HEAD_SECONDS, PacedBody, fault_in, length_in
from webapp.web.steady_socket import StallWatch
from webapp.web.tls_socket import TlsSocket

NEXT_PORTS = 20
SILENT_SECONDS = 30
HANDSHAKE_SECONDS = 10
_HANDSHAKE = b"\x16"  # with which every TLS connection begins
_NOT_PLAIN = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"This Strata speaks TLS: write https:// before its address.\n"
)
_TOO_MANY = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\nRetry-After: 10\r\n"
    b"Connection: close\r\n\r\n"
    b"Too many connections are open. Close some pages, or wait a moment, then try again.\n"
)
log = logging.getLogger(__name__)
_heads = StallWatch(HEAD_SECONDS)


class QuietRequests(WSGIRequestHandler):
    """Requests are not logged one by one; faults go to the log, never to the terminal. Who
    connects and then says nothing is let go; a websocket has pings for that."""

    timeout = SILENT_SECONDS

    def handle_one_request(self) -> None:
        with ExitStack() as self._head:
            self._head.enter_context(_heads.watching(self.connection))
            super().handle_one_request()

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        self._head.close()
        if fault := fault_in(self.headers):
            self.send_error(fault)
            return False
        self.rfile = io.BufferedReader(PacedBody(self.rfile, length_in(self.headers)))
        return True

    def run_wsgi(self) -> None:
        if self.headers.get("Upgrade", "").lower() == "websocket":
            self.connection.settimeout(None)
        super().run_wsgi()

    def make_environ(self) -> dict[str, Any]:
        environ = super().make_environ()
        if isinstance(self.connection, ssl.SSLSocket) and "HTTP_UPGRADE" in environ:
            environ["werkzeug.socket"] = TlsSocket(self.connection)
        return environ

    def log(self, type: str, message: str, *args: object) -> None:
        if type == "error":
            log.warning(message, *args)


class Connections(ThreadedWSGIServer):
    """With TLS the handshake is made in the connection's own thread: who connects and says
    nothing holds up nobody else. Nor does who connects too often."""

    def __init__(self, *where: Any, **options: Any) -> None:
        super().__init__(*where, **options)
        self.callers = Callers(most_of_all=room_for_all())

    def verify_request(self, request: Any, client_address: Any) -> bool:
        if self.callers.come(request, client_address[0]):
            return True
        if self.ssl_context is None:
            _say_at_once(request, _TOO_MANY)
        return False

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.callers.leave(request)

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.ssl_context is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(HANDSHAKE_SECONDS)
        try:
            if not _begins_with_tls(request):
                return
            secured = self.ssl_context.wrap_socket(request, server_side=True)
        except OSError:
            return  # of another protocol, without trust in the certificate, or gone
        try:
            super().finish_request(secured, client_address)
        finally:
            self.shutdown_request(secured)

    def handle_error(self, request: Any, client_address: Any) -> None:
        del request
        log.warning("A connection from %s failed", client_address[0], exc_info=True)


class PageServer:
    """Bound from construction on; over TLS with `tls`. Raises AlreadyRunning when the port is
    taken."""

    def __init__(self, app: Flask, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._server = _bound(app, host, port)
        self._server.ssl_context = tls
        self.port = self._server.port
        scheme = "https" if tls else "http"
        self.address = f"{scheme}://{_written(host)}:{self._server.port}"

    def renew(self, tls: ssl.SSLContext) -> None:
        """Who connects from now on is served with this one."""
        self._server.ssl_context = tls

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
    server = Connections(host, port, app, QuietRequests, fd=listening.fileno())
    # The server has duplicated the descriptor.
    listening.close()
    return server


def _say_at_once(connection: socket.socket, words: bytes) -> None:
    """To one that is let go, without waiting for anything."""
    connection.setblocking(False)
    with suppress(OSError):
        connection.sendall(words)
        # What was sent is read, or closing would take the answer away again.
        connection.recv(65536)


def _begins_with_tls(connection: socket.socket) -> bool:
    """Who speaks plainly is told, and let go."""
    first = connection.recv(1, socket.MSG_PEEK)
    if first == _HANDSHAKE:
        return True
    if first.isalpha():
        # What was sent is read, or closing would take the answer away again.
        connection.recv(65536)
        connection.sendall(_NOT_PLAIN)
    return False


def _refused(host: str, port: int, error: OSError) -> AlreadyRunning | StorageFailed:
    if error.errno == errno.EADDRINUSE:
        return AlreadyRunning(
            f"Another program is using port {port}.",
            do=f"Start with --port {_free_port(host, port) or 'and another number'}.",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return AlreadyRunning(
            f"You are not allowed to use port {port}.", do="Start with --port 5100."
        )
    return AlreadyRunning(
        f"{host} is not an address of this machine ({error.strerror}).",
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
