"""The page in a real browser: how fast words arrive, and what they cost the machine that shows
them. Rows 1, 12 and 13 of the speed targets; the engine alone, a reader of the socket alone (as if
the browser ran elsewhere) and the page take turns."""

import json
import re
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import expect, sync_playwright
from simple_websocket import Client

from e2e.browser import find_browser
from e2e.conftest import Server
from e2e.talk import ask, ask_and_wait, last_answer
from tests.benchmarks.bench_sockets import get, pending, post
from tests.engines.real_models import chat_model
from webapp.engines.engine import Finished, Request, Text, Turn
from webapp.engines.llama_cpp import LlamaCppEngine

ROUNDS, TOKENS, CONTEXT = 5, 120, 2048
QUESTION = "Write all whole numbers from one to two hundred as words."
STREAMED_TOKENS, STREAMED_SECONDS = 2000, 10
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

WATCH = """() => {
    window.grew = []; window.ended = 0; window.removed = 0;
    document.addEventListener('strata:grew', () => window.grew.push(performance.now()));
    document.addEventListener('strata:answered', () => { window.ended = performance.now(); });
    new MutationObserver(changes => changes.forEach(change => {
        if (change.target.classList?.contains('body')) window.removed += change.removedNodes.length;
    })).observe(document.body, {childList: true, subtree: true});
}"""
MARKDOWN = "".join(
    f"## Part {part}\n\nSome words of **weight** in a line that a reader can follow to its end.\n\n"
    "- one point\n- and another, a little longer than the first\n\n"
    "| a | b |\n|---|---|\n| one cell | one more |\n\n"
    f"```python\ndef part_{part}(x: int) -> int:\n    return x + {part}\n```\n\n"
    for part in range(200)
)


def rows():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=ARGUMENTS)
        with tempfile.TemporaryDirectory() as folder:
            return [
                *browser_against_engine(browser, Path(folder) / "real"),
                *streaming_cost(browser, Path(folder) / "scripted"),
                *start(Path(folder) / "start"),
            ]


def browser_against_engine(browser, data):
    limits = ("--small", "--context-tokens", str(CONTEXT), "--max-output-tokens", str(TOKENS))
    server = Server(data, *limits, engine="llama_cpp")
    engine = LlamaCppEngine(chat_model(), context_tokens=CONTEXT, threads=0)
    page = browser.new_page(bypass_csp=True)
    try:
        expect.set_options(timeout=120_000)
        page.goto(server.address)
        ask_and_wait(page, QUESTION)
        page.evaluate(WATCH)
        engine_rate(engine)
        rates = [
            (engine_rate(engine), page_rate(page), socket_rate(page, server)) for _ in range(ROUNDS)
        ]
    finally:
        page.close()
        engine.close()
        server.stop()
    raw, shown, read = (median(each) for each in zip(*rates, strict=True))
    at_browser = median(page / alone for alone, page, _ in rates)
    at_socket = median(socket / alone for alone, _, socket in rates)
    return [
        (
            f"tokens/s at a socket, browser elsewhere / engine ({read:.1f} / {raw:.1f})",
            f"{at_socket:.2f}",
            ">= 0.97",
        ),
        (
            f"tokens/s at a browser on the same cores / engine ({shown:.1f} / {raw:.1f})",
            f"{at_browser:.2f}",
            ">= 0.97",
        ),
    ]


def engine_rate(engine):
    moments = []
    for event in engine.generate(Request("bench", (Turn("user", QUESTION),), TOKENS)):
        if isinstance(event, Text):
            moments.append((time.perf_counter(), event.tokens))
        elif isinstance(event, Finished):
            return (moments[-1][1] - moments[0][1]) / (moments[-1][0] - moments[0][0])
    raise AssertionError("the engine ended without saying so")


def page_rate(page):
    """From the first words on the page to the last; the tokens are those that were told."""
    page.evaluate("() => { window.grew = []; window.ended = 0; }")
    last_answer(page).get_by_role("button", name="Answer again").click()
    page.wait_for_function("() => window.ended > 0", timeout=120_000)
    facts = last_answer(page).locator(".facts")
    facts.wait_for()
    tokens = int(re.search(r"(\d+) tokens", facts.text_content()).group(1))
    first, last = page.evaluate("() => [window.grew[0], window.ended]")
    return (tokens - 1) / (last - first) * 1000


def socket_rate(page, server):
    """The same without a browser: the frames are read, and nothing is drawn."""
    thread = page.url.split("/threads/")[1].split("#")[0]
    message = (last_answer(page).get_attribute("id") or "").removeprefix("message-")
    page.goto("about:blank")
    post(server, f"/threads/{thread}/messages/{message}/versions", "")
    address = server.address.replace("http", "ws")
    own = {"Origin": "http://127.0.0.1"}  # this client leaves the port out of Host too
    client = Client(
        f"{address}/threads/{thread}/messages/{pending(server, thread)}/live", headers=own
    )
    moments, over = [], False
    while not over:
        frame = json.loads(client.receive(120))
        over = bool(frame.get("d"))
        if frame["c"] or frame.get("o") or frame.get("a"):
            moments.append(time.perf_counter())
    client.close()
    made = re.findall(r"Written</dt><dd>(\d+) tokens", get(server, f"/threads/{thread}"))[-1]
    page.goto(f"{server.address}/threads/{thread}")
    page.evaluate(WATCH)
    return (int(made) - 1) / (moments[-1] - moments[0])


def streaming_cost(browser, data):
    server = Server(data)
    page = browser.new_page(bypass_csp=True)
    words = re.findall(r"\s*\S+\s*", MARKDOWN)[:STREAMED_TOKENS]
    try:
        page.goto(server.address)
        ask_and_wait(page, "hello")
        page.evaluate(WATCH)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        ask(page, "/fast /echo " + "".join(words))
        # Filling in so long a question costs more than a second by itself.
        page.wait_for_function("() => window.grew.length > 0")
        before, first = task_seconds(session), page.evaluate("() => performance.now()")
        page.wait_for_function("() => window.ended > 0", timeout=120_000)
        busy, last = task_seconds(session) - before, page.evaluate("() => window.ended")
        removed = page.evaluate("() => window.removed")
    finally:
        page.close()
        server.stop()
    share = busy / ((last - first) / 1000) * STREAMED_SECONDS
    return [
        ("main thread of the browser, of 10 s of 2,000 tokens", f"{share:.2f} s", "<= 1.6 s"),
        ("blocks of the answer taken away while it streamed", str(removed), "few, never all"),
    ]


def task_seconds(session):
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def start(data):
    began = time.perf_counter()
    server = Server(data)
    up = time.perf_counter() - began
    try:
        status = Path(f"/proc/{server.process.pid}/status")
        text = status.read_text() if status.exists() else "VmRSS: 0 kB"
        memory = int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024
    finally:
        server.stop()
    return [
        ("start to serving, scripted engine", f"{up:.2f} s", "<= 2 s"),
        ("server memory without a model", f"{memory:.0f} MB", "<= 250 MB"),
    ]
