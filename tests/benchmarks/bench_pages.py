"""Every page a link or a fragment leads to, of a real Strata with 1,000 threads, and its start.

Pages are found by following links, so that a new one is measured without being named here. The time
is that of a request on a connection that stays open: the server's, and the way there and back."""

import http.client
import re
import statistics
import tempfile
import time
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from e2e.conftest import Server
from tests.benchmarks import plots
from webapp.chat.messages import new_message, new_thread
from webapp.chat.records import Put
from webapp.threads.jsonl import JsonlThreadStore

_THREADS = 1_000
_MESSAGES = 20
_LONG = 1_000
_DAY = 86_400_000
_WORDS = (
    "The harbour wall keeps the wind off until **noon**, and `the tide` is out.\n\n- one\n- two\n"
)
_ROUNDS = 60
_OF_A_KIND = 3
_SLOWEST = 6
# What begins work, or takes a whole thread or all of them away, is no page.
_NO_PAGE = re.compile(r"/export(/|\?|$)|\.zip|\.json|/static/|/download")


def rows():
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder))
        began = time.perf_counter()
        server = Server(Path(folder))
        try:
            link = _Link(server.port)
            link.get("/")
            started = time.perf_counter() - began
            while b"still being looked through" in link.get("/search?q=harbour")[2]:
                time.sleep(1)  # new to the search: read in the background, once
            kinds = _crawled(link)
            times = {kind: _times(link, paths) for kind, paths in kinds.items()}
        finally:
            server.stop()
    ranked = sorted(times, key=lambda kind: -_p95(times[kind]))
    for place, kind in enumerate(ranked, 1):
        plots.note("Pages by their 95th percentile", "rank", "ms", "p95", place, _p95(times[kind]))
    what = f"start to the first page, {_THREADS:,} threads"
    found = [(what, f"{started:.1f} s", "≤ 2 s")]
    for kind in ranked[:_SLOWEST]:
        what = f"page {kind}, {_THREADS:,} threads, 95th percentile (median)"
        shown = f"{_p95(times[kind]):.0f} ms ({statistics.median(times[kind]):.0f})"
        found.append((what, shown, "≤ 50 ms"))
    whole = [each for many in times.values() for each in many]
    late = sum(_p95(many) > 50 for many in times.values())
    what = f"all {len(times)} kinds of pages and fragments: median; kinds over 50 ms"
    return [*found, (what, f"{statistics.median(whole):.0f} ms; {late}", "0")]


def _fill(folder):
    """Threads over three years, one of them long; each with two versions of its last answer."""
    now = time.time_ns() // 1_000_000
    store = JsonlThreadStore(folder, lambda: time.time_ns() // 1_000_000)
    for number in range(_THREADS):
        moment = now - number * _DAY
        thread = new_thread(id=f"walk-{number:04}", title=f"Walk {number}", created=moment / 1000)
        store.create_thread(thread)
        count = _LONG if number == 0 else _MESSAGES
        store.write(thread.id, [Put(each) for each in _messages(thread.id, count, moment)])
    store.close()


def _messages(thread_id, count, moment):
    parent = None
    for number in range(count):
        role = "assistant" if number % 2 else "user"
        id = f"{thread_id}-m{number}"
        text = f"{number}: {_WORDS * (3 if number % 2 else 1)}"
        yield new_message(
            id=id,
            thread_id=thread_id,
            role=role,
            text=text,
            created_at=moment + number,
            metadata={"parentId": parent},
        )
        if number == count - 1:
            yield new_message(
                id=f"{id}-again",
                thread_id=thread_id,
                role=role,
                text=text,
                created_at=moment + count,
                metadata={"parentId": parent},
            )
        parent = id


class _Link:
    """One connection that stays open, as a browser's does."""

    def __init__(self, port):
        self._port = port
        self._open = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def get(self, path):
        """Status, type and body. A page asks with a navigation's headers."""
        self._open.request("GET", path, headers={"Sec-Fetch-Site": "same-origin"})
        answer = self._open.getresponse()
        return answer.status, answer.headers.get_content_type(), answer.read()


class _Addresses(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        facts = dict(attributes)
        if tag == "a" and "download" not in facts:
            self.found.append(facts.get("href"))
        self.found.append(facts.get("hx-get"))


def _crawled(link):
    """Of each kind of page, a few addresses."""
    kinds, waiting, seen = defaultdict(list), ["/"], {"/"}
    while waiting:
        path = waiting.pop(0)
        kind = re.sub(r"/(?=[^/?]*\d)[^/?]{6,}", "/*", path.partition("?")[0])
        if len(kinds[kind]) >= _OF_A_KIND:
            continue
        status, content_type, body = link.get(path)
        if status != 200 or content_type != "text/html":
            continue
        kinds[kind].append(path)
        parser = _Addresses()
        parser.feed(body.decode())
        for address in filter(None, parser.found):
            parts = urlsplit(urljoin(f"http://x{path}", address))
            there = parts.path + (f"?{parts.query}" if parts.query else "")
            if parts.netloc == "x" and there not in seen and not _NO_PAGE.search(there):
                seen.add(there)
                waiting.append(there)
    return {kind: paths for kind, paths in kinds.items() if paths}


def _times(link, paths):
    """Milliseconds of each request."""
    times = []
    for number in range(_ROUNDS):
        began = time.perf_counter()
        link.get(paths[number % len(paths)])
        times.append((time.perf_counter() - began) * 1000)
    return times


def _p95(times):
    return statistics.quantiles(times, n=20)[-1]
