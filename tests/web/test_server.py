"""The embedded server: it binds, answers, and ends by a signal within seconds."""

import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from flask import Flask

from webapp.errors import AlreadyRunning
from webapp.web import server
from webapp.web.server import PageServer

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys, threading
from flask import Flask
from webapp.web.server import PageServer
app = Flask("page")
held = threading.Event()
app.add_url_rule("/", "look", lambda: "ok")
app.add_url_rule("/hold", "hold", lambda: str(held.wait(60)))
server = PageServer(app, "127.0.0.1", 0)
print(server.address, flush=True)
server.serve_until_signal(lambda: print("saved", flush=True))
print("ended", flush=True)
"""


def app():
    page = Flask("page")
    page.add_url_rule("/", "look", lambda: "ok")
    return page


@pytest.fixture
def started():
    """A server in a process of its own; its first line is its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    address = process.stdout.readline().strip()
    yield process, address
    process.kill()
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order_and_quietly_with_a_request_still_open(started, number):
    process, address = started
    assert urllib.request.urlopen(address, timeout=10).read() == b"ok"
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as waiting:
        waiting.sendall(b"GET /hold HTTP/1.1\r\nHost: localhost\r\n\r\n")
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
    assert process.returncode == 0
    assert out.split() == ["saved", "ended"]
    assert err == ""


def test_a_port_that_is_taken_is_told_with_the_next_free_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AlreadyRunning) as told:
            PageServer(app(), "127.0.0.1", port)
    assert f"using port {port}" in told.value.what
    offered = int(told.value.do.split("--port ")[1].rstrip("."))
    assert port < offered <= port + server.NEXT_PORTS


def test_an_address_that_is_not_this_machine_is_told():
    with pytest.raises(AlreadyRunning, match=r"192\.0\.2\.1 is not an address of this machine"):
        PageServer(app(), "192.0.2.1", 5100)


def test_a_port_can_be_used_again_at_once():
    first = PageServer(app(), "127.0.0.1", 0)
    port = int(first.address.rsplit(":", 1)[1])
    first._server.server_close()
    again = PageServer(app(), "127.0.0.1", port)
    assert again.address == f"http://127.0.0.1:{port}"
    again._server.server_close()


def test_who_connects_and_says_nothing_is_let_go(monkeypatch):
    monkeypatch.setattr(server.QuietRequests, "timeout", 0.05)
    page = PageServer(app(), "127.0.0.1", 0)
    serving = threading.Thread(target=page._server.serve_forever, daemon=True)
    serving.start()
    port = int(page.address.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as silent:
        silent.sendall(b"GET / HTT")
        assert silent.recv(100) == b""
    page._server.shutdown()
    page._server.server_close()
    serving.join(10)


def test_requests_leave_no_line_on_the_terminal(capfd):
    page = PageServer(app(), "127.0.0.1", 0)
    serving = threading.Thread(target=page._server.serve_forever, daemon=True)
    serving.start()
    port = int(page.address.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"nonsense\r\n\r\n")
        client.recv(1000)
    assert urllib.request.urlopen(page.address, timeout=10).status == 200
    page._server.shutdown()
    page._server.server_close()
    serving.join(10)
    assert capfd.readouterr() == ("", "")


def test_ipv6_addresses_are_written_in_brackets():
    assert server._written("::1") == "[::1]"
    assert server._written("127.0.0.1") == "127.0.0.1"
