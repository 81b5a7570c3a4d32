"""A household at its Strata: 20 people read, one page a second each, while 5 ask, each the next
question a second after the last answer; all signed in, at a real shared server with the scripted
engine. What took how long, and what failed. The people run on the same processors."""

import contextlib
import http.client
import json
import re
import tempfile
import threading
import time
from collections import defaultdict
from itertools import cycle, islice
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlencode

from simple_websocket import Client, ConnectionClosed
from simple_websocket import ConnectionError as Refused

from e2e.conftest import Server

READERS, ASKERS, SECONDS = 20, 5, 60
PAUSE, LONGEST = 1.0, 60
PASSWORD = "a fine password"
WORDS = "The moon pulls at the sea and the sea leans toward it twice a day"
KINDS = ("sign in", "start page", "a thread", "list of threads", "search", "send a question")
WAITS = ("first words", "whole answer")


def rows(seconds=SECONDS):
    with tempfile.TemporaryDirectory() as folder:
        return table(load(Path(folder), seconds), seconds)


def table(tally, seconds):
    crowd = f"{READERS} read, {ASKERS} ask, {seconds} s"
    told = f"{len(tally.failures)} of {tally.count:,}"
    first = "".join(f"; {each}" for each in tally.failures[:3])
    found = [(f"{crowd}: requests that failed", told + first, "0")]
    for kind in KINDS + WAITS:
        times = tally.seconds[kind]
        spread = quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 20
        shown = f"p50 {_ms(spread[9])}, p95 {_ms(spread[-1])}" if spread else "none"
        lost = sum(each.startswith(f"{kind}: ") for each in tally.failures)
        shown += f", {lost} failed" if lost else ""
        beside = ", waiting in line included" if kind in WAITS else ""
        found.append((f"{kind}{beside} ({len(times):,})", shown, ""))
    return found


def _ms(seconds):
    return f"{1000 * seconds:.0f} ms"


def load(folder, seconds, reading=READERS, asking=ASKERS):
    """The tally of so many seconds, after everybody has signed in."""
    server = Server(folder / "data", "--lan")
    try:
        tally = Tally()
        readers, askers = household(server, tally, reading, asking)
        shared = askers[0].begin_for_all(readers)
        end = time.monotonic() + seconds
        live = [(each.read, (end, shared, number)) for number, each in enumerate(readers)]
        live += [(each.ask_on, (end,)) for each in askers]
        threads = [threading.Thread(target=_lived, args=(tally, *each)) for each in live]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return tally
    finally:
        server.stop()


def _lived(tally, what, given):
    try:
        what(*given)
    except Exception as error:  # of the bench itself; the others still have something to tell
        tally.note("the bench", time.monotonic(), repr(error))


def household(server, tally, reading, asking):
    """Readers and askers; the first asker owns the house."""
    own, lasting = (_code(server, words) for words in ("join first.*code", "access code"))
    names = [f"Asker {n}" for n in range(asking)] + [f"Reader {n}" for n in range(reading)]
    people = [
        Person(server, tally, name, own if at == 0 else lasting) for at, name in enumerate(names)
    ]
    return people[asking:], people[:asking]


def _code(server, words):
    pause = threading.Event()
    for _ in range(3000):
        if found := re.search(rf"{words} (\S+)", "".join(server._lines)):
            return found[1]
        pause.wait(0.01)
    raise AssertionError(f"the server never said “{words}”")


class Tally:
    """How long each kind took, and what went wrong; from many threads."""

    def __init__(self):
        self.seconds = defaultdict(list)
        self.failures = []
        self.count = 0
        self._lock = threading.Lock()

    def note(self, kind, began, failure=""):
        with self._lock:
            self.count += 1
            if failure:
                self.failures.append(f"{kind}: {failure}")
            else:
                self.seconds[kind].append(time.monotonic() - began)


class Person:
    """Joined with a code, and signed in anew with name and password."""

    def __init__(self, server, tally, name, code):
        self._server, self._tally, self._name, self._cookie = server, tally, name, ""
        self._pause = threading.Event()
        self._say("POST", "/join", code=code, name=name, password=PASSWORD)
        self._say("POST", "/logout")
        self.fetch("sign in", "/login", 303, name=name, password=PASSWORD)

    def begin_for_all(self, others):
        """A thread that all may read; its address."""
        _, _, at = self.fetch("send a question", "/threads", 303, text=f"/echo {WORDS}")
        at = at.partition("#")[0]
        self._say("POST", f"{at}/sharing", all="read")
        assert WORDS in others[0]._say("GET", at)[1], "the thread was not shared"
        return at

    def read(self, end, shared, number):
        """Beginning at a moment and a page of one's own."""
        pages = [
            ("start page", "/", "What is on your mind?"),
            ("a thread", shared, WORDS),
            ("list of threads", "/threads", "/threads/"),
            ("search", "/search?q=moon+pulls", "moon"),
        ]
        self._pause.wait(PAUSE * (number % READERS) / READERS)
        for kind, path, words in islice(cycle(pages), number % len(pages), None):
            if time.monotonic() > end:
                return
            self.fetch(kind, path, 200, words)
            self._pause.wait(PAUSE)

    def ask_on(self, end):
        at, number = "/threads", 0
        while time.monotonic() < end:
            number += 1
            marker = f"{self._name} {number}".replace(" ", "-")
            began = time.monotonic()
            text = f"/slow /echo {WORDS} {marker}"
            _, _, location = self.fetch("send a question", at, 303, text=text)
            if not location:
                return
            thread = location.partition("#")[0]
            self._follow(thread, marker, began)
            at = f"{thread}/messages"
            self._pause.wait(PAUSE)

    def fetch(self, kind, path, status, words="", **fields):
        """What came back, noted; of what failed, nothing."""
        began = time.monotonic()
        try:
            came = self._say("POST" if fields else "GET", path, **fields)
        except (OSError, http.client.HTTPException) as error:
            self._tally.note(kind, began, repr(error))
            return 0, "", ""
        fault = f"{came[0]} at {path}" if came[0] != status else ""
        if not fault and words not in came[1]:
            fault = f"“{words}” is not on {path}"
        self._tally.note(kind, began, fault)
        return ("", "", "") if fault else came

    def _follow(self, thread, marker, began):
        """Its answer, at the socket that the page names."""
        _, page, _ = self.fetch("a thread", thread, 200, marker)
        found = re.search(r'data-stream="([^"]+)"', page)
        if found is None:
            self._tally.note("whole answer", began, f"no answer is being written in {thread}")
            return
        try:
            words = self._heard(found[1], began)
        except (OSError, Refused, ConnectionClosed) as error:
            self._tally.note("whole answer", began, repr(error))
        else:
            fault = "" if marker in words else f"it ends before {marker}"
            self._tally.note("whole answer", began, fault)

    def _heard(self, path, began):
        address = f"ws://127.0.0.1:{self._server.port}{path}"
        # This client leaves the port out of Host; the cookie is named by it.
        token = self._cookie.partition("=")[2]
        own = {"Origin": "http://127.0.0.1", "Cookie": f"strata_session_web={token}"}
        line, words, first = Client(address, headers=own), "", True
        try:
            while (frame := line.receive(timeout=LONGEST)) is not None:
                frame = json.loads(frame)
                words += "".join(frame["c"])
                if first and (frame["c"] or frame.get("o")):
                    first = self._tally.note("first words", began)
                if frame.get("d"):
                    return words
            raise TimeoutError("nothing more was heard")
        finally:
            with contextlib.suppress(ConnectionClosed):
                line.close()
            line.thread.join(LONGEST)
            line.sock.close()

    def _say(self, method, path, **fields):
        """(status, text, location) of one request."""
        line = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=LONGEST)
        try:
            head = {"Cookie": self._cookie}
            if fields:
                head["Content-Type"] = "application/x-www-form-urlencoded"
            line.request(method, path, urlencode(fields), head)
            answer = line.getresponse()
            if cookie := answer.getheader("Set-Cookie"):
                self._cookie = cookie.partition(";")[0]
            return answer.status, answer.read().decode(), answer.getheader("Location", "")
        finally:
            line.close()
