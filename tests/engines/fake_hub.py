"""A model hub on this machine: the part of its protocol that a download uses."""

import hashlib
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from huggingface_hub import constants


class FakeHub:
    """`files` maps "owner/repo/file" to bytes. `break_after` cuts the next answer short once,
    after `hold` is set if there is one."""

    def __init__(self):
        self.files = {}
        self.ranges = []
        self.break_after = None
        self.hold = None
        self.honours_ranges = True
        self.claimed = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._answers())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answers(hub):  # `self` is the answer below
        class Answer(BaseHTTPRequestHandler):
            def log_message(self, *words):
                pass

            def do_HEAD(self):
                self._begin(0)

            def do_GET(self):
                wanted = self.headers.get("Range")
                if self._name() in hub.files:  # a port is used again: others may still ask at it
                    hub.ranges.append(wanted)
                begin = 0
                if wanted and hub.honours_ranges:
                    begin = int(wanted.removeprefix("bytes=").rstrip("-"))
                data = self._begin(begin)
                if data is None:
                    return
                most, hub.break_after = hub.break_after, None
                with suppress(ConnectionError):  # who reads may go
                    self.wfile.write(data[begin:] if most is None else data[begin : begin + most])
                    if most is not None and hub.hold is not None:
                        self.wfile.flush()
                        hub.hold.wait(60)
                self.close_connection = True

            def _name(self):
                return self.path[1:].replace("/resolve/main/", "/")

            def _begin(self, begin):
                name = self._name()
                data = hub.files.get(name)
                if data is None:
                    self.send_response(404)
                    self.send_header("X-Error-Code", "EntryNotFound")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return None
                self.send_response(206 if begin else 200)
                self.send_header("X-Repo-Commit", "0" * 40)
                etag = hub.claimed.get(name, hashlib.sha256(data).hexdigest())
                self.send_header("ETag", f'"{etag}"')
                self.send_header("Content-Length", str(len(data) - begin))
                self.end_headers()
                return data

        return Answer


@pytest.fixture
def hub(monkeypatch):
    hub = FakeHub()
    template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    yield hub
    hub.close()
