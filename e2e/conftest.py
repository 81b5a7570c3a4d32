"""A real server in a process of its own, and a real browser that reaches nothing else."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from e2e.browser import find_browser
from e2e.wire import Wire
from tests.crashes import pytest_sessionfinish, pytest_testnodedown  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
OWN = tuple(
    f"{scheme}://{host}:" for scheme in ("http", "ws") for host in ("127.0.0.1", "localhost")
)
OWN = (*OWN, "data:", "blob:")
# What a browser says of a request that a server which was ended could not answer.
CUT_OFF = ("net::ERR_CONNECTION", "net::ERR_EMPTY", "net::ERR_INCOMPLETE", "Failed to fetch")
ended = set()  # addresses of servers that a story ended, and may have started again

expect.set_options(timeout=15_000)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`strata serve` over one data directory; can be killed and started again."""

    def __init__(self, data, *options, engine="scripted", variables=None):
        self.data = data
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._options = ["--engine", engine, *options]
        # The scripted model decides by commands; most stories are about what follows a search.
        search = {"STRATA_FILE_SEARCH": "always"} if engine == "scripted" else {}
        self._variables = {**os.environ, **search, **(variables or {})}
        self._lines = []
        self.start()

    def start(self):
        command = [sys.executable, "-m", "webapp", "serve", "--no-browser"]
        command += ["--data", str(self.data), "--port", str(self.port), *self._options]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self._variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ready = threading.Event()
        threading.Thread(target=self._read, args=(ready,), daemon=True).start()
        ready.wait(START_SECONDS)
        if self.process.poll() is not None or not ready.is_set():
            self.kill()
            raise AssertionError("the server did not start:\n" + "".join(self._lines))

    def _read(self, ready):
        with self.process.stdout as lines:
            for line in lines:
                self._lines.append(line)
                if re.search(rf"http://\S+:{self.port}\b", line):
                    ready.set()
        ready.set()

    def kill(self):
        """As a power cut would: no clean-up."""
        ended.add(self.address)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=10)

    def stop(self):
        ended.add(self.address)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=10)

    def restart(self):
        self.kill()
        self.start()


@pytest.fixture(scope="session")
def browser():
    quiet = ["--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=[*quiet, *sandbox]
        )
        yield browser
        browser.close()


@pytest.fixture
def start_server(tmp_path):
    servers = []

    def start(*options, data=None, **choices):
        servers.append(Server(data or tmp_path / "data", *options, **choices))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("shared") / "data")
    yield server
    server.stop()


@pytest.fixture
def server(shared_server):
    """One for all stories that need nothing special of it; none hands an unfinished answer on."""
    if shared_server.process.poll() is not None:
        shared_server.start()
    yield shared_server
    if is_answering(shared_server.data):
        shared_server.restart()


def is_answering(data):
    """Whether an answer is being written in any thread, as its log says."""
    states = {}
    for log in (data / "threads").glob("*/messages.jsonl"):
        for line in log.read_text("utf-8").splitlines():
            record = json.loads(line)
            if "status" in record:
                states[record["id"]] = record["status"]
            if record.get("deleted"):
                states.pop(record["id"], None)
    return "pending" in states.values()


@pytest.fixture
def wire(server):
    wire = Wire(server.port)
    yield wire
    wire.close()


@pytest.fixture
def open_page(browser):
    """Opens pages whose faults fail the test: script errors, CSP reports, foreign requests."""
    contexts, faults = [], []
    ended.clear()

    def watch(page, allow):
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: _note(line, faults, allow))
        page.on("request", lambda request: _own(request, faults))
        return page

    def open_at(address, *, allow=(), **options):
        contexts.append(browser.new_context(**options))
        page = watch(contexts[-1].new_page(), allow)
        page.goto(address)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert faults == []


def _note(line, faults, allow):
    address = line.location.get("url", "")
    if address.startswith(tuple(ended)) and any(word in line.text for word in CUT_OFF):
        return  # of the end, whenever the browser says so: not the page's fault
    if line.type == "error" and not any(word in line.text for word in allow):
        faults.append(f"{line.text} ({address})")


def _own(request, faults):
    if not request.url.startswith(OWN):
        faults.append(f"asked for {request.url}")
