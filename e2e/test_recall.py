"""What was said in an earlier chat helps in a new one, and is opened where it was said."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.talk import ask_and_wait, last_answer

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize(("screen", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_an_earlier_chat_is_recalled_cited_and_opened(
    start_server, open_page, tmp_path, screen, scheme
):
    server = start_server(variables={"STRATA_RECALL": "on"})
    page = open_page(server.address, viewport=SCREENS[screen], color_scheme=scheme)
    ask_and_wait(page, "/echo My dog Zebedee is afraid of thunder, so we stay at home.")
    page.goto(server.address)
    ask_and_wait(page, "/recall /echo Your dog Zebedee is afraid of thunder, so you stay at home.")
    answer = last_answer(page)
    expect(answer.locator("a.cite").first).to_be_visible(timeout=20_000)
    answer.get_by_text("From your earlier threads: 2 passages").click()
    expect(answer.get_by_text("Looked into earlier threads for")).to_be_visible()
    assert page.evaluate(OVERFLOW) <= 0
    page.screenshot(path=Path(tmp_path) / f"recalled-{screen}-{scheme}.png")
    answer.locator("a.cite").first.focus()
    page.keyboard.press("Enter")
    panel = page.locator("#passage-panel")
    expect(panel.get_by_role("heading")).to_be_focused()
    expect(panel).to_contain_text("Zebedee is afraid of thunder")
    page.screenshot(path=Path(tmp_path) / f"passage-{screen}-{scheme}.png")
    panel.get_by_role("link", name="Open where it was said").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?at=.*#message-"))
    expect(page.locator("article.message:target")).to_contain_text("My dog Zebedee")


def test_until_it_is_switched_on_nothing_is_recalled(start_server, open_page):
    server = start_server()
    page = open_page(server.address)
    ask_and_wait(page, "/echo My dog Zebedee is afraid of thunder.")
    page.wait_for_url("**/threads/*")
    page.goto(server.address)
    ask_and_wait(page, "/recall /echo Zebedee is afraid of thunder.")
    expect(last_answer(page).locator(".sources")).to_have_count(0)
