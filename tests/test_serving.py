"""A whole server, started and ended as a person would."""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest
from simple_websocket import Client

from webapp import serving
from webapp.app import create_app
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import EngineFailed
from webapp.serving import has_desktop, is_open_to_the_network
from webapp.settings import load

ROOT = Path(__file__).resolve().parent.parent
# The scripted engine, but for its embedding, which waits until the engine is closed.
SLOW = """
import sys, threading
from webapp import app, serving
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import EngineFailed
from webapp.settings import load

class Slow(ScriptedEngine):
    ended = threading.Event()
    def embed(self, texts, kind):
        print("embedding", flush=True)
        self.ended.wait(60)
        raise EngineFailed("The model was closed.")
    def close(self):
        self.ended.set()
        super().close()

app.engine_for = lambda settings: Slow()
settings, _ = load({}, {"data": sys.argv[1], "port": sys.argv[2], "engine": "scripted"})
serving.run(settings, open_browser=False)
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def strata(tmp_path):
    started = []

    def start(*options, data=tmp_path / "data"):
        command = [sys.executable, "-m", "webapp", "serve", "--no-browser", "--engine", "scripted"]
        command += ["--data", str(data), *options]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=10)


def get(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read().decode()


def test_it_prints_its_address_answers_there_and_ends_on_a_signal_within_five_seconds(strata):
    port = free_port()
    process = strata("--port", str(port))
    assert f"http://127.0.0.1:{port}" in process.stdout.readline()
    assert "Strata" in get(f"http://127.0.0.1:{port}/")
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 0
    assert time.monotonic() - begun < 5


def test_a_second_server_on_the_same_directory_names_the_first(strata):
    port = free_port()
    first = strata("--port", str(port))
    first.stdout.readline()
    second = strata("--port", str(free_port()))
    told = second.communicate(timeout=20)[0]
    assert second.returncode == 1
    assert str(first.pid) in told
    assert f"http://127.0.0.1:{port}" in told
    assert "Traceback" not in told


def test_a_taken_port_is_told_with_a_free_one(strata, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = strata("--port", str(port))
        told = refused.communicate(timeout=20)[0]
    assert refused.returncode == 1
    assert f"using port {port}" in told
    offered = int(told.rsplit("--port ", 1)[1].split(".")[0])
    assert offered > port


def test_a_data_directory_that_cannot_be_written_is_told_at_once(strata, tmp_path):
    (tmp_path / "file").write_text("in the way")
    refused = strata("--port", str(free_port()), data=tmp_path / "file" / "data")
    told = refused.communicate(timeout=20)[0]
    assert refused.returncode == 1
    assert str(tmp_path / "file") in told
    assert "Traceback" not in told


def test_start_to_first_page_and_memory_stay_small(strata):
    """A generous bound against a slip of a kind (a library loaded at start), not a benchmark."""
    port = free_port()
    process = strata("--port", str(port))
    process.stdout.readline()
    get(f"http://127.0.0.1:{port}/")
    if Path("/proc").is_dir():
        status = Path(f"/proc/{process.pid}/status").read_text()
        resident = int(status.split("VmRSS:")[1].split()[0])
        assert resident < 250_000
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        assert not any(name in maps for name in ("lancedb", "pyarrow", "llama_cpp"))


def form_with_a_file(text):
    head = 'Content-Disposition: form-data; name="files"; filename="tides.txt"\r\n\r\n'
    body = f"--mark\r\n{head}{text}\r\n--mark--\r\n".encode()
    return body, {"Content-Type": "multipart/form-data; boundary=mark"}


def test_a_first_embedding_does_not_delay_the_end_and_goes_on_next_time(strata, tmp_path):
    data, port = tmp_path / "data", free_port()
    command = [sys.executable, "-c", SLOW, str(data), str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        body, headers = form_with_a_file("The moon pulls the sea. " * 200)
        ask = urllib.request.Request(f"http://127.0.0.1:{port}/threads/files", body, headers)
        files = urllib.request.urlopen(ask, timeout=10).url.split("#")[0] + "/files/list"
        assert process.stdout.readline() == "embedding\n"
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - begun < 5
    again = strata("--port", str(port), data=data)
    again.stdout.readline()
    pause = threading.Event()
    for _ in range(200):
        if "tides.txt" in (shown := get(files)) and "passage" in shown:
            return
        pause.wait(0.05)
    raise AssertionError(shown)


def test_what_does_not_end_is_cut_off(strata, tmp_path):
    data, port = tmp_path / "data", free_port()
    stuck = SLOW.replace("self.ended.set()", "threading.Event().wait(60)")
    command = [sys.executable, "-c", stuck, str(data), str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        get(f"http://127.0.0.1:{port}/")
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - begun < 6
    assert "was cut short" in (data / "strata.log").read_text()


def trusting(data):
    return ssl.create_default_context(cafile=str(data / "tls" / "certificate.pem"))


def test_over_tls_pages_and_sockets_are_encrypted_and_plain_words_are_answered(strata, tmp_path):
    port = free_port()
    process = strata("--port", str(port), "--tls", "self")
    assert f"https://127.0.0.1:{port}" in process.stdout.readline()
    context = trusting(tmp_path / "data")
    with socket.create_connection(("127.0.0.1", port), timeout=10) as silent:
        asking = urllib.request.Request(
            f"https://localhost:{port}/threads", data=b"text=/slow+/long+Why+do+tides+turn"
        )
        with urllib.request.urlopen(asking, timeout=10, context=context) as answer:
            page, thread = answer.read().decode(), answer.url.split("#")[0]
        silent.sendall(b"GET / HTTP/1.1\r\n\r\n")
        told = b"".join(iter(lambda: silent.recv(1000), b""))
    assert b"400 Bad Request" in told
    assert b"https://" in told
    address = re.search(r'"(/threads/[^"]+/live)', page)[1]
    origin = {"Origin": "https://localhost"}  # this client names the host without its port
    ws = Client(f"wss://localhost:{port}{address}", headers=origin, ssl_context=context)
    frames = [ws.receive(timeout=10) for _ in range(5)]
    assert all(frames), thread
    ws.close()
    process.send_signal(signal.SIGTERM)
    rest = process.communicate(timeout=10)[0]
    assert process.returncode == 0
    assert "Traceback" not in rest


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tls-cert", "a.pem"), "Name both --tls-cert and --tls-key."),
        (("--tls", "self", "--tls-key", "a.pem"), "Leave out --tls self"),
        (("--tls-cert", "nowhere.pem", "--tls-key", "nowhere.pem"), "cannot be read"),
        (("--tls", "yes"), "Choose one of off, self."),
    ],
)
def test_a_certificate_that_cannot_serve_is_told_at_once(strata, options, words):
    refused = strata("--port", str(free_port()), *options)
    told = refused.communicate(timeout=20)[0]
    assert refused.returncode == 1
    assert words in told
    assert "Traceback" not in told


def test_an_open_house_is_refused_unless_it_is_asked_for(strata):
    refused = strata("--port", str(free_port()), "--host", "0.0.0.0")
    told = refused.communicate(timeout=20)[0]
    assert refused.returncode == 1
    assert "Start with --lan" in told
    port = str(free_port())
    process = strata("--port", port, "--host", "0.0.0.0", "--without-sign-in")
    assert port in process.stdout.readline()
    assert "without signing in" in process.stdout.readline()


def test_a_browser_is_opened_only_where_somebody_sees_it(monkeypatch):
    monkeypatch.setitem(os.environ, "SSH_CONNECTION", "1 2 3 4")
    assert not has_desktop()
    monkeypatch.delitem(os.environ, "SSH_CONNECTION")
    monkeypatch.delitem(os.environ, "CI", raising=False)
    monkeypatch.setitem(os.environ, "DISPLAY", ":0")
    assert has_desktop()


@pytest.mark.parametrize(
    ("host", "others"),
    [
        ("127.0.0.1", False),
        ("127.0.1.1", False),
        ("::1", False),
        ("localhost", False),
        ("0.0.0.0", True),
        ("::", True),
        ("192.168.1.4", True),
        ("kitchen.local", True),
    ],
)
def test_an_address_that_others_reach_is_told_from_the_machines_own(host, others):
    assert is_open_to_the_network(host) is others


class Unloadable(ScriptedEngine):
    def load(self):
        raise EngineFailed("There is no model.")

    def unload(self):
        """Nothing was loaded."""


def test_what_a_start_does_beside_the_model_is_done_without_one_too(tmp_path):
    settings, _ = load({}, {"data": tmp_path, "engine": "scripted"})
    app = create_app(settings, Unloadable())
    services = app.extensions["strata"]
    services.library.delete(services.library.create("Long gone").id)
    (deleted,) = (tmp_path / "trash").iterdir()
    deleted.rename(deleted.with_name("5.old"))
    try:
        serving.warm_up(app)
        assert services.library.trash() == []
    finally:
        serving.close_all(services)
