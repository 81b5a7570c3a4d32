"""The real server on a real port, over the app of a test, and a client that sends byte for byte."""

import contextlib
import re
import socket
import threading
from dataclasses import dataclass
from urllib.parse import urlencode

from webapp.web.server import PageServer

SECONDS = 20


@dataclass(frozen=True)
class Answer:
    status: int
    head: str
    body: bytes

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def header(self, name):
        found = re.findall(rf"^{name}: (.*?)\r?$", self.head, re.M | re.I)
        return found[0] if found else ""


class Client:
    """Of a server of this machine; `source` is the address that it comes from."""

    def __init__(self, port, source="127.0.0.1"):
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.origin = f"http://{self.host}"
        self._source = source

    def connect(self, source=""):
        at = ("127.0.0.1", self.port)
        return socket.create_connection(at, SECONDS, (source or self._source, 0))

    def raw(self, sent, source=""):
        """What comes back for these bytes, until the server ends the connection."""
        with self.connect(source) as line:
            # It may have heard enough; what it said is still there.
            with contextlib.suppress(ConnectionError):
                line.sendall(sent)
            return read_all(line)

    def ask(self, path="/", method="GET", **said):
        return answer_in(self.raw(self.request(path, method, **said)))

    def request(self, path, method="GET", *, token="", form=None, body=b"", **headers):
        """Headers by their names with _ for -; None leaves out one that is usual."""
        named = {"Host": self.host, "Connection": "close"}
        if token:
            named["Cookie"] = f"{self.cookie}={token}"
        if form is not None:
            body = urlencode(form).encode()
            named["Content-Type"] = "application/x-www-form-urlencoded"
        if method == "POST":
            named["Content-Length"] = str(len(body))
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in named.items() if value is not None]
        head = "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""])
        return head.encode("latin-1") + body

    def socket_at(self, path, *, token="", **headers):
        """The answer to the handshake of a websocket."""
        wanted = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
        wanted |= {"Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Origin": self.origin}
        with self.connect() as line:
            line.sendall(self.request(path, token=token, **(wanted | headers)))
            heard = line.recv(65536)
            return answer_in(heard if b" 101 " in heard[:16] else heard + read_all(line))

    @property
    def cookie(self):
        return f"strata_session_{self.port}"


class RealServer(Client):
    def __init__(self, app):
        self._pages = PageServer(app, "127.0.0.1", 0)
        self._serving = threading.Thread(target=self._pages._server.serve_forever, daemon=True)
        self._serving.start()
        super().__init__(self._pages.port)

    def close(self):
        self._pages._server.shutdown()
        self._pages._server.server_close()
        self._serving.join(SECONDS)


def read_all(line):
    parts = []
    try:
        while part := line.recv(65536):
            parts.append(part)
    except ConnectionError:
        pass  # cut off with bytes of ours unread
    return b"".join(parts)


def answer_in(data):
    """The last word: 100 says that the body may come."""
    while data.startswith(b"HTTP/1.1 100 "):
        data = data.partition(b"\r\n\r\n")[2]
    head, _, body = data.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.[01] (\d{3})", head)
    return Answer(int(status[1]) if status else 0, head.decode("latin-1"), body)
