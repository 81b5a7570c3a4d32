"""What open sockets cost everybody else: the time of a page with 200 readers that wait and 20 that
are being written to, against the same page without them, in one server, in turns."""

import http.client
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import quantiles

from simple_websocket import Client

from e2e.conftest import Server

WAITING, STREAMING, PAGES, ROUNDS = 200, 20, 60, 3


def rows():
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        server = Server(Path(folder) / "data")
        stack.callback(server.stop)
        thread = begun(server, "/echo a page to look at")
        latencies(server, thread)
        alone, crowded = [], []
        for _ in range(ROUNDS):
            alone += latencies(server, thread)
            with ExitStack() as crowd:
                open_sockets(server, crowd)
                crowded += latencies(server, thread)
        return [
            ratio_row("p95 of a page: 200 sockets waiting, 20 streamed to / none", crowded, alone)
        ]


def ratio_row(what, crowded, alone):
    many, none = p95(crowded), p95(alone)
    return f"{what} ({1000 * many:.0f} / {1000 * none:.0f} ms)", f"{many / none:.2f}", "<= 3"


def p95(seconds):
    return quantiles(seconds, n=20)[-1]


def open_sockets(server, crowd):
    """The answer that streams lasts longer than the measurement, and is stopped after it."""
    for command, count in (("/slow /long", STREAMING), ("/hold", WAITING)):
        thread = begun(server, f"{command} {count}")
        message = pending(server, thread)
        crowd.callback(post, server, f"/threads/{thread}/messages/{message}/stop", "")
        for _ in range(count):
            address = server.address.replace("http", "ws")
            own = {"Origin": "http://127.0.0.1"}  # this client leaves the port out of Host too
            client = Client(f"{address}/threads/{thread}/messages/{message}/live", headers=own)
            crowd.callback(client.close)


def latencies(server, thread):
    found = []
    for _ in range(PAGES):
        began = time.perf_counter()
        get(server, f"/threads/{thread}")
        found.append(time.perf_counter() - began)
    return found


def begun(server, text):
    location = post(server, "/threads", f"text={text.replace(' ', '+').replace('/', '%2F')}")
    return location.split("/")[2].split("#")[0]


def pending(server, thread):
    page = get(server, f"/threads/{thread}")
    return page.split('data-stream="')[1].split("/messages/")[1].split("/")[0]


def get(server, path):
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request("GET", path)
    text = line.getresponse().read().decode()
    line.close()
    return text


def post(server, path, body):
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded"})
    response = line.getresponse()
    response.read()
    line.close()
    return response.getheader("Location", "")
