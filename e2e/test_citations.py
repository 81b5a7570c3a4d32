"""Read what an answer from files rests on: the number, the passage, the trace."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.talk import ask, last_answer
from tests.web.cited_answers import answer
from webapp.chat.messages import new_message
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def address(tmp_path, start_server):
    """Of a thread that was answered from a file, which is gone since."""
    store = JsonlThreadStore(tmp_path / "data", lambda: int(time.time() * 1000))
    ids = iter(["thread"])
    thread_id = ThreadLibrary(store, clock_ms=lambda: 1, new_id=lambda: next(ids)).create("A").id
    question = new_message(
        id="question", thread_id=thread_id, role="user", text="How long?", created_at=1
    )
    store.create_message(thread_id, question)
    store.create_message(thread_id, answer(thread_id=thread_id, parent_id="question"))
    store.close()
    return f"{start_server().address}/threads/{thread_id}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_a_reader_follows_a_number_to_its_passage(address, open_page, tmp_path, screen, scheme):
    page = open_page(address, viewport=SCREENS[screen], color_scheme=scheme)
    number = last_answer(page).locator("a.cite")
    expect(number).to_have_accessible_name("Source 1: similar passage in contract.pdf, page 4")
    number.focus()
    page.keyboard.press("Enter")
    panel = page.locator("#passage-panel")
    expect(panel.get_by_role("heading")).to_be_focused()
    expect(panel.locator("mark")).to_have_text("The notice period is ninety days.")
    assert page.evaluate(OVERFLOW) <= 0
    page.screenshot(path=Path(tmp_path) / f"passage-{screen}-{scheme}.png")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(number).to_be_focused()

    bare = last_answer(page).get_by_role("button", name="Show unsupported sentences (1)")
    expect(last_answer(page).locator(".bare-word")).to_be_hidden()
    bare.click()
    expect(bare).to_have_attribute("aria-pressed", "true")
    expect(last_answer(page).locator(".bare-word")).to_be_visible()
    last_answer(page).get_by_text("Searched your files: 1 passage").click()
    expect(last_answer(page).locator(".trace-hit")).to_have_count(2)
    assert page.evaluate(OVERFLOW) <= 0
    page.screenshot(path=Path(tmp_path) / f"trace-{screen}-{scheme}.png")
    bare.click()
    expect(last_answer(page).locator(".bare-word")).to_be_hidden()


def test_escape_closes_the_passage_and_stops_no_answer(address, open_page):
    page = open_page(address, viewport=SCREENS["wide"])
    ask(page, "/hold")
    live = page.locator("article.message.live")
    expect(live.locator(".body")).to_contain_text("on")
    page.locator("a.cite").first.click()
    panel = page.locator("#passage-panel")
    expect(panel.get_by_role("heading")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(live).to_have_count(1)
    page.keyboard.press("Escape")
    expect(last_answer(page).get_by_text("Stopped.")).to_be_visible()
