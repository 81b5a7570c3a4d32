"""What is near in meaning comes below the hits, after them, and opens its message."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.talk import ask_and_wait

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize(("screen", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_what_is_near_is_shown_below_the_hits_and_opened(
    start_server, open_page, tmp_path, screen, scheme
):
    server = start_server()
    page = open_page(server.address, viewport=SCREENS[screen], color_scheme=scheme)
    ask_and_wait(page, "/echo The keeper of the lighthouse polishes its copper lens at dusk.")
    page.goto(server.address)
    ask_and_wait(page, "/echo The harbour wall was built of stone by a keeper of sheep.")
    page.goto(f"{server.address}/search")
    box = page.get_by_role("searchbox", name="Search everything said")
    near = page.locator("#search-near")
    box.fill("lens keeper at dusk zanzibar")
    expect(page.get_by_text("No message has these words.")).to_be_visible()
    expect(near.get_by_role("heading", name="Near in meaning")).to_be_visible()
    # Typing on and back asks anew; what was read meanwhile is there.
    for _ in range(10):
        if near.locator("a").count():
            break
        page.wait_for_timeout(1_000)
        box.fill("lens keeper at dusk")
        box.fill("lens keeper at dusk zanzibar")
        page.wait_for_timeout(1_000)
    hit = near.locator("a").first
    expect(hit).to_contain_text("polishes its copper lens")
    box.fill("keeper")
    expect(page.locator("mark").first).to_have_text("keeper")
    box.fill("lens keeper at dusk zanzibar")
    with page.expect_response(lambda answer: "/search/near?q=lens" in answer.url):
        box.press("Enter")
    expect(hit).to_contain_text("polishes its copper lens")
    assert page.evaluate(OVERFLOW) <= 0
    page.screenshot(path=Path(tmp_path) / f"near-{screen}-{scheme}.png")
    hit.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?at=.*#message-"))
    expect(page.locator("article.message:target")).to_contain_text("copper lens")
