"""One request to a server and its reply, over a connection that another thread can end."""

from __future__ import annotations

import base64
import contextlib
import http.client
import socket
import ssl
import threading
import urllib.request
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from webapp.engines.openai_address import Address

_TOLD_EARLY: Final = (BrokenPipeError, ConnectionResetError)


@dataclass(frozen=True)
class Patience:
    """Seconds to wait: for a connection, for the first word (the server may queue and read for
    minutes), between two pieces; and before each new try after a failed connection."""

    connect: float = 10.0
    first: float = 600.0
    between: float = 120.0
    retries: tuple[float, ...] = (0.25, 0.5, 1.0)


class Aborted(Exception):
    """The other side of this program wants no reply any more."""


class Link:
    """One request at a time; used by one thread, except for `abort`."""

    def __init__(self, address: Address, key: str, patience: Patience) -> None:
        self._address = address
        self._key = key
        self._patience = patience
        self._guard = threading.Lock()
        self._aborted = threading.Event()
        self._took = False
        self._socket: socket.socket | None = None
        self._connection: http.client.HTTPConnection | None = None
        self._response: http.client.HTTPResponse | None = None

    def abort(self) -> None:
        """End the request wherever it is, from any thread; the next one is refused too."""
        with self._guard:
            self._aborted.set()
            self._shut()

    @property
    def aborted(self) -> bool:
        return self._aborted.is_set()

    @property
    def connected(self) -> bool:
        """Whether the server took the connection, be it broken since."""
        return self._took

    def pause(self, seconds: float) -> None:
        """Raises Aborted at once when somebody aborts."""
        if self._aborted.wait(seconds):
            raise Aborted

    def open(self, method: str, path: str, body: bytes | None) -> http.client.HTTPResponse:
        """Send, and wait for the head of the reply. OSError and HTTPException come through."""
        self.close()
        self._took = False
        proxy = _proxy_for(self._address)
        connection = self._connection = self._connected(proxy)
        self.wait_at_most(self._patience.first)
        target = self._address.path + path
        headers = self._headers(body)
        if proxy and self._address.scheme == "http":
            target = f"http://{self._address.host}:{self._address.port}{target}"
            headers.update(_proxy_login(proxy))
        try:
            connection.request(method, target, body, headers)
        except _TOLD_EARLY:
            # A server that refuses a large request answers before it has read all of it.
            self._response = connection.getresponse()
        else:
            self._response = connection.getresponse()
        return self._response

    def wait_at_most(self, seconds: float) -> None:
        """For each read from now on."""
        with self._guard, contextlib.suppress(OSError):
            if self._socket is not None:
                self._socket.settimeout(seconds)

    def close(self) -> None:
        with self._guard:
            self._shut()
            for part in (self._response, self._connection, self._socket):
                if part is not None:
                    part.close()
            # A proxy's refusal leaves a reader behind that would keep the socket open.
            if self._socket is not None and self._socket.fileno() >= 0:
                socket.close(self._socket.detach())
            self._response = self._connection = self._socket = None

    def _shut(self) -> None:
        # Not SSLSocket.shutdown, which takes the cipher away from the thread that is reading.
        with contextlib.suppress(OSError):
            if self._socket is not None:
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _hold(self, held: socket.socket) -> None:
        with self._guard:
            self._socket = held
            if self.aborted:
                raise Aborted

    def _connected(self, proxy: str) -> http.client.HTTPConnection:
        connection = self._unconnected(proxy)
        # The only way to get at a socket before it is connected, so that it can be shut.
        connection._create_connection = self._dial  # type: ignore[attr-defined]
        self._connection = connection
        connection.connect()
        self._hold(connection.sock)
        self._took = True
        return connection

    def _unconnected(self, proxy: str) -> http.client.HTTPConnection:
        here, seconds = self._address, self._patience.connect
        host, port = here.host, here.port
        if proxy:
            parts = urlsplit(proxy)
            host, port = parts.hostname or "", parts.port or 80
        if here.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=seconds)
        trust = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, timeout=seconds, context=trust)
        if proxy:
            connection.set_tunnel(here.host, here.port, _proxy_login(proxy))
        return connection

    def _dial(self, where: tuple[str, int], seconds: float, *_: Any) -> socket.socket:
        problem: OSError = OSError(f"{where[0]} has no address")
        for family, kind, protocol, _name, target in socket.getaddrinfo(
            *where, type=socket.SOCK_STREAM
        ):
            dialled = socket.socket(family, kind, protocol)
            try:
                self._hold(dialled)
                dialled.settimeout(seconds)
                dialled.connect(target)
            except OSError as error:
                problem = error
                dialled.close()
            else:
                dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return dialled
        raise problem

    def _headers(self, body: bytes | None) -> dict[str, str]:
        headers = {"Accept": "text/event-stream, application/json", "User-Agent": "Strata"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers


def _proxy_for(address: Address) -> str:
    """The proxy that the system names for this address; none for this machine."""
    where = f"{address.host}:{address.port}"
    if address.is_here or urllib.request.proxy_bypass(where):
        return ""
    proxy = urllib.request.getproxies().get(address.scheme, "")
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def _proxy_login(proxy: str) -> dict[str, str]:
    parts = urlsplit(proxy)
    if parts.username is None:
        return {}
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(login.encode()).decode("ascii")}
