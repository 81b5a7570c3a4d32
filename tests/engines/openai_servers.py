"""Small servers for the HTTP engine: one that sends what a test wrote, byte for byte, and one that
answers in earnest, with the scripted engine as its model."""

import contextlib
import json
import math
import queue
import socket
import struct
import threading
from collections import defaultdict, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webapp.engines.engine import Finished, Reading, Request, Sampling, Text, Turn
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import EngineFailed

CUT = object()
"""A step: the connection is reset."""

MODELS = {"object": "list", "data": [{"id": "small", "max_model_len": 8192}, {"id": "large"}]}


def head(status=200, kind="text/event-stream", **headers):
    lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {kind}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def whole(value, status=200, **headers):
    return head(status, "application/json", **headers) + json.dumps(value).encode()


def refusal(status, message, **more):
    return whole({"error": {"message": message, **more}}, status)


def chunk(content=None, reason=None, usage=None, **delta):
    said = {**({} if content is None else {"content": content}), **delta}
    value = {"choices": [{"index": 0, "delta": said, "finish_reason": reason}]}
    if usage is not None:
        value["usage"] = usage
    return sse(value)


def sse(value):
    return f"data: {json.dumps(value)}\n\n".encode()


DONE = b"data: [DONE]\n\n"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True

    def __init__(self, port=0):
        self.requests = []
        self.seen = queue.SimpleQueue()
        self.ending = threading.Event()
        super().__init__(("127.0.0.1", port), Connection)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def end(self):
        self.ending.set()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request, client_address):
        """Clients that hang up are what half of the tests are about."""


class PlayServer(Server):
    """Each request to a path takes the next play written for it; `/v1/models` has a default."""

    def __init__(self, port=0):
        self._plays = defaultdict(deque)
        super().__init__(port)

    def play(self, *steps, path="/v1/chat/completions"):
        """Steps: bytes to send, an Event to wait for, CUT."""
        self._plays[path].append(steps)

    def answer(self, connection, path, body):
        if path == "/v1/models" and not self._plays[path]:
            connection.wfile.write(whole(MODELS))
            return
        for step in self._plays[path].popleft():
            if isinstance(step, bytes):
                connection.wfile.write(step)
            elif step is CUT:
                connection.reset()
            else:
                step.wait(10)


class ModelServer(Server):
    """Streams what a scripted engine says; refuses and counts as the usual servers do."""

    context = 8192

    def __init__(self, port=0):
        self.model = ScriptedEngine(context_tokens=10**9)
        self._last = None
        self._numbers = iter(range(10**6))
        super().__init__(port)

    def end(self):
        self.model.close()
        super().end()

    def answer(self, connection, path, body):
        routes = {"/v1/models": self._models, "/v1/embeddings": self._embed}
        route = routes.get(path, self._chat)
        route(connection, body)

    def _models(self, connection, body):
        connection.wfile.write(whole(MODELS))

    def _embed(self, connection, body):
        longest = max(math.ceil(len(text) / 3.5) for text in body["input"])
        if longest > 512:
            said = (
                "This model's maximum context length is 512 tokens, however you requested "
                f"{longest} tokens ({longest} in your prompt; 0 for the completion)."
            )
            connection.wfile.write(refusal(400, said))
            return
        vectors = self.model.embed(body["input"], "passage")
        data = [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]
        connection.wfile.write(whole({"data": data[::-1]}))

    def _chat(self, connection, body):
        turns = tuple(Turn(said["role"], said["content"]) for said in body["messages"])
        tokens = sum(math.ceil(len(turn.content) / 3.5) + 4 for turn in turns)
        if tokens >= self.context:
            said = f"maximum context length is {self.context} tokens, but {tokens} input tokens"
            connection.wfile.write(refusal(400, said))
            return
        request = Request(
            str(next(self._numbers)),
            turns,
            body["max_tokens"],
            Sampling(),
            tuple(body.get("stop", ())),
            body.get("response_format", {}).get("json_schema", {}).get("schema"),
            tuple(body.get("tools", ())),
        )
        gone = threading.Thread(target=self._cancel_when_gone, args=(connection, request.id))
        gone.start()
        try:
            self._stream(connection, request, tokens)
        except EngineFailed as error:
            connection.wfile.write(sse({"error": {"message": str(error)}}))
        finally:
            with contextlib.suppress(OSError):
                connection.connection.shutdown(socket.SHUT_RDWR)
            gone.join()

    def _stream(self, connection, request, tokens):
        begun = False
        for event in self.model.generate(request):
            if isinstance(event, Reading) and not begun:
                begun = True
                reused = tokens - 1 if self._last == request.turns else 0
                self._last = request.turns
                connection.wfile.write(head())
            elif isinstance(event, Text):
                connection.wfile.write(chunk(event.piece))
            elif isinstance(event, Finished):
                cached = {"cached_tokens": reused} if begun else {}
                usage = {
                    "prompt_tokens": tokens,
                    "completion_tokens": event.output_tokens,
                    "prompt_tokens_details": cached,
                }
                connection.wfile.write(chunk(reason=event.reason) + chunk(usage=usage) + DONE)

    def _cancel_when_gone(self, connection, request_id):
        with contextlib.suppress(OSError):
            connection.connection.recv(1)
        self.model.cancel(request_id)


class Connection(BaseHTTPRequestHandler):
    def do_GET(self):
        self._answer(None)

    def do_POST(self):
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body):
        self.close_connection = True
        self.server.requests.append((self.path, self.headers, body))
        self.server.seen.put(self.path)
        self.server.answer(self, self.path, body)

    def reset(self):
        at_once = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.connection.close()

    def log_message(self, format, *args):
        """Nothing is printed."""
