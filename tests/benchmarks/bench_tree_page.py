"""Switching a version as the page does it: in 20,000 messages of depth 400 against 100 messages,
on the server; and the swap of 200 messages in view as a browser paints it, where one is found."""

import gc
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from e2e.browser import find_browser
from webapp.app import clock_ms, create_app
from webapp.chat.messages import new_message, new_thread
from webapp.chat.records import Put
from webapp.engines.scripted import ScriptedEngine
from webapp.settings import Settings
from webapp.threads.jsonl import JsonlThreadStore

ROUNDS = 60
SWAPS = 15
DEEP, LARGE, SHALLOW, SMALL, IN_VIEW = 400, 20_000, 98, 100, 200
HTMX = {"HX-Request": "true"}
WORDS = "The moon pulls the water, and the shore turns under it twice a day. "


def rows():
    """(what, measured, target), one row each."""
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(Settings(), data=Path(folder) / "data", models=Path(folder))
        store = JsonlThreadStore(settings.data, clock_ms)
        for thread_id, depth, total in (("small", SHALLOW, SMALL), ("large", DEEP, LARGE)):
            fill(store, thread_id, depth, total)
        fill(store, "view", IN_VIEW, IN_VIEW + 1)
        store.close()
        app = create_app(settings, ScriptedEngine())
        return [*on_the_server(app), *in_the_browser(app)]


def on_the_server(app):
    client = app.test_client()
    acts = (("last answer", -1), ("answer 50 above the end", -51))
    for what, place in acts:
        least, most = (
            measured(client, *each, place) for each in (("small", SHALLOW), ("large", DEEP))
        )
        figures = f"{most / least:.2f} ({most * 1e3:.1f} ms / {least * 1e3:.1f} ms)"
        yield f"tree page: switch at the {what}, {LARGE:,} messages / {SMALL}", figures, "<= 1.5"


def measured(client, thread_id, depth, place):
    """Median seconds of a switch with its page; both versions were rendered before."""
    at = depth + place
    versions = (f"{thread_id}-{at}", f"{thread_id}-{at}-b")
    times = []
    gc.collect()
    gc.disable()
    try:
        for number in range(ROUNDS):
            start = perf_counter()
            form = {"message": versions[number % 2]}
            response = client.post(f"/threads/{thread_id}/active", data=form, headers=HTMX)
            times.append(perf_counter() - start)
            assert response.status_code == 200
    finally:
        gc.enable()
    return median(times[4:])


def in_the_browser(app):
    browser_path = find_browser()
    if browser_path is None:
        return [("tree page: swap painted", "no browser found", "<= 100 ms")]
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        swaps = painted(browser_path, f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
    what = f"tree page: swap painted, {IN_VIEW} messages in view"
    swap, whole = (median(times) for times in zip(*swaps, strict=True))
    return [(what, f"{swap:.0f} ms ({whole:.0f} ms from the click)", "<= 100 ms")]


class Quiet(WSGIRequestHandler):
    def log_request(self, code="-", size="-"):
        """The table is all that a benchmark prints."""


WATCH = """() => {
  let clicked, answered;
  document.addEventListener('click', () => { clicked = performance.now(); }, true);
  document.addEventListener('htmx:before:swap', () => { answered ??= performance.now(); }, true);
  document.addEventListener('htmx:after:swap', () => requestAnimationFrame(() => setTimeout(() => {
    window.painted = [performance.now() - answered, performance.now() - clicked];
    answered = undefined;
  })));
}"""
PRESS = """async name => {
  window.painted = null;
  [...document.querySelectorAll(`.versions button[aria-label="${name}"]`)].at(-1).click();
  while (!window.painted) await new Promise((go) => setTimeout(go, 5));
  return window.painted;
}"""


def painted(browser_path, address):
    """(milliseconds from the answer, from the click) of each swap, until it is painted."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/threads/view?at=view-0")
        assert page.locator("article.message").count() == IN_VIEW
        page.evaluate(WATCH)
        names = ("Next version", "Previous version")
        times = [page.evaluate(PRESS, names[number % 2]) for number in range(SWAPS)]
        browser.close()
    return times[3:]


def fill(store, thread_id, depth, total):
    """A path `depth` long, a second version of its last answer and of the one 50 above; all else
    hangs on other branches of the same depth."""
    store.create_thread(new_thread(id=thread_id, title=thread_id, created=1))
    messages = []

    def add(name, parent, at):
        role = "assistant" if at % 2 else "user"
        message_id = f"{thread_id}-{name}"
        link = {"parentId": parent}
        if name == str(at) and at + 1 < depth:
            link["activeChildId"] = f"{thread_id}-{at + 1}"
        messages.append(
            new_message(
                id=message_id,
                thread_id=thread_id,
                role=role,
                text=f"{name}: {WORDS * 4}",
                created_at=1000 + len(messages),
                metadata=link,
            )
        )
        return message_id

    parent = None
    for at in range(depth):
        above, parent = parent, add(str(at), parent, at)
        if at in (depth - 1, depth - 51) and at % 2:
            add(f"{at}-b", above, at)
    branch = 0
    while len(messages) < total:
        parent = f"{thread_id}-1"
        for at in range(2, min(depth, 2 + total - len(messages))):
            parent = add(f"{branch}x{at}", parent, at)
        branch += 1
    store.write(thread_id, [Put(message) for message in messages])
