"""A shared Strata in a process of its own, as `./strata --lan` starts it, and who comes in."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil

from tests.web.real_server import Client

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
NOWHERE = "http://127.0.0.1:9"
# Nothing is fetched from elsewhere, whatever the owner of a test asks for.
CUT_OFF = {
    "HF_ENDPOINT": NOWHERE,
    "PIP_INDEX_URL": NOWHERE,
    "PIP_RETRIES": "0",
    "PIP_CONFIG_FILE": os.devnull,
}
ADDRESSES = (f"127.1.{number // 250}.{number % 250 + 1}" for number in range(60_000))


def has_more_addresses():
    """Whether this machine has others than 127.0.0.1, as on Linux."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.1.0.1", 0))
        except OSError:
            return False
    return True


HAS_MORE_ADDRESSES = has_more_addresses()


class SharedProcess:
    """Ended with `stop`; `codes` are the owner's and the one for all others."""

    def __init__(self, folder):
        self.data = folder / "data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._lines = []
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "webapp", "serve", "--lan", "--no-browser"),
                *("--engine", "scripted", "--host", "localhost", "--port", str(self.port)),
                *("--data", str(self.data), "--models", str(folder / "models")),
            ],
            cwd=ROOT,
            env={**os.environ, **CUT_OFF},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        self.codes = [self._told(words) for words in ("join first.*code", "access code")]
        self._seen = psutil.Process(self._process.pid)

    def is_alive(self):
        return self._process.poll() is None

    def resident_bytes(self):
        return self._seen.memory_info().rss

    def threads(self):
        return self._seen.num_threads()

    def log(self):
        file = self.data / "strata.log"
        return file.read_text("utf-8") if file.exists() else ""

    def said(self):
        return "".join(self._lines)

    def stop(self):
        """Its exit code."""
        self._process.terminate()
        try:
            return self._process.wait(timeout=10)
        finally:
            self._process.kill()
            self._process.wait()
            self._reading.join(timeout=10)

    def _read(self):
        with self._process.stdout as lines:
            for line in lines:
                self._lines.append(line)

    def _told(self, words):
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self.is_alive():
            if found := re.search(rf"{words} (\S+)", self.said()):
                return found[1]
            self._reading.join(0.05)
        self.stop()
        raise AssertionError(f"the server did not start:\n{self.said()}")


class Person:
    """Somebody who signs in again when the session has ended, and comes back when removed."""

    def __init__(self, port, name):
        self.name, self.password = name, f"{name}'s password"
        self.token = ""
        self._port = port

    def join(self, code):
        return self._enter("/join", code=code)

    def sign_in(self):
        return self._enter("/login")

    def is_in(self):
        return bool(self.token) and Client(self._port).ask("/", token=self.token).status == 200

    def _enter(self, at, **form):
        """From another address each time: one from which passwords were guessed has to wait."""
        client = Client(self._port, next(ADDRESSES) if HAS_MORE_ADDRESSES else "127.0.0.1")
        answer = client.ask(at, "POST", form={"name": self.name, "password": self.password, **form})
        found = re.match(r"[^=]+=([^;]+)", answer.header("Set-Cookie"))
        self.token = found[1] if found else ""
        return bool(self.token)
