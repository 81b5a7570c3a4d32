"""Every page that a link leads to, as axe-core sees it."""

import re

import pytest
from playwright.sync_api import expect

from e2e.axe import crawled, links
from e2e.talk import answer_again, ask_and_wait

CONTRACT = b"# Lease\n\nThe notice period is ninety days.\n\n## Deposit\n\nIt is 400 euro.\n"


@pytest.fixture
def house(start_server, open_page):
    """A Strata with something on every page."""
    server = start_server()
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    page.goto(server.address)
    ask_and_wait(page, "/markdown")
    answer_again(page)
    page.locator("input[type=file]").first.set_input_files(
        {"name": "lease.md", "mimeType": "text/markdown", "buffer": CONTRACT}
    )
    expect(page.get_by_text("lease.md").first).to_be_visible()
    ask_and_wait(page, "What is the notice period?")
    for key in ("p", "Escape"):
        page.locator("article.message.user").last.focus()
        page.keyboard.press(key)
    page.goto(f"{server.address}/projects")
    page.get_by_label("Name").first.fill("Moving house")
    page.get_by_role("button", name=re.compile("Make|Create|Add")).first.click()
    return server, page


def test_axe_finds_nothing_on_any_page(house):
    server, page = house
    page.goto(server.address)
    seen, faults = crawled(server, page, [server.address + "/", *links(page)])
    assert len(seen) > 25, sorted(seen)
    assert not faults, "\n".join(faults)
