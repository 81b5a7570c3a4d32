"""The page fits every screen, in light and dark, and its parts can be reached."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.talk import answer_again, ask_and_wait, last_answer

SCREENS = {"wide": (1280, 800), "phone": (390, 844), "narrow": (360, 640), "huge": (1920, 1080)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_reaches_beyond_the_screen(server, open_page, tmp_path, screen, scheme):
    width, height = SCREENS[screen]
    page = open_page(
        server.address, viewport={"width": width, "height": height}, color_scheme=scheme
    )
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    ask_and_wait(page, "/markdown")
    ask_and_wait(page, "/echo " + "endless" * 60 + "\n\n`" + "code" * 80 + "`")
    assert page.evaluate(overflow) <= 0
    page.screenshot(path=Path(tmp_path) / f"{screen}-{scheme}.png")
    for button in page.get_by_role("button").all():
        if button.is_visible():
            place = button.bounding_box()
            assert place["x"] >= 0
            assert place["x"] + place["width"] <= width + 1


def test_every_control_has_a_name_and_the_keyboard_reaches_the_composer(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    answer_again(page)
    for button in page.locator("button, summary, a[href]").all():
        if button.is_visible():
            name = button.evaluate("e => e.ariaLabel || e.title || e.innerText.trim()")
            assert name, button.evaluate("e => e.outerHTML")
    first = page.locator("a[href], button, input, textarea, summary").first
    expect(first).to_have_text("Skip to the content")
    first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_the_end_of_an_answer_is_told_to_a_screen_reader(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    ask_and_wait(page, "/slow and again")
    expect(page.get_by_role("status").filter(has_text="finished")).to_have_count(1)
    expect(last_answer(page).locator("[aria-busy=true]")).to_have_count(0)
