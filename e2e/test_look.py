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


INSIDE = """([id, box]) => {
    const inner = document.querySelector(id).getBoundingClientRect();
    const outer = document.querySelector(box).getBoundingClientRect();
    return inner.height > 0 && inner.top >= outer.top && inner.bottom <= outer.bottom;
}"""


@pytest.mark.parametrize("screen", ["wide", "phone"])
def test_what_is_opened_at_the_end_is_seen_and_closes_under_the_same_pointer(
    server, open_page, screen
):
    width, height = SCREENS[screen]
    page = open_page(server.address, viewport={"width": width, "height": height})
    for _ in range(3):
        ask_and_wait(page, "/markdown")
    details = last_answer(page).locator(".facts summary")
    where = details.bounding_box()
    details.click()
    expect(last_answer(page).locator(".facts dl")).to_be_in_viewport(ratio=1)
    facts = f"#{last_answer(page).get_attribute('id')} .facts dl"
    assert page.evaluate(INSIDE, [facts, "#conversation"])
    now = details.bounding_box()
    assert abs(now["x"] - where["x"]) < 2, "the button went away from under the pointer"
    page.mouse.click(now["x"] + 10, now["y"] + 10)
    expect(page.locator(facts)).to_be_hidden()
    last_answer(page).get_by_role("button", name="More").click()
    last_answer(page).get_by_role("link", name="Name or star").click()
    save = last_answer(page).locator(".acts").get_by_role("button", name="Save")
    expect(save).to_be_in_viewport(ratio=1)


def test_the_time_of_a_question_never_lies_on_its_buttons(server, open_page):
    width, height = SCREENS["narrow"]
    page = open_page(server.address, viewport={"width": width, "height": height})
    ask_and_wait(page, "hello")
    page.get_by_role("link", name="Edit this question").click()
    page.get_by_role("button", name="Save and answer").click()
    question = page.locator(".message.user").last
    expect(question.locator(".version")).to_have_text("2/2")
    more = question.locator(".more").bounding_box()
    for part in question.locator(".who > *").all():
        if part.is_visible():
            assert part.bounding_box()["x"] >= more["x"] + more["width"] - 4


@pytest.mark.parametrize("height", [320, 400, 800])
def test_the_list_of_threads_can_be_reached_however_low_the_window(server, open_page, height):
    page = open_page(server.address, viewport={"width": 640, "height": height})
    ask_and_wait(page, "hello")
    page.get_by_role("button", name="Threads").click()
    for place in (".thread-list .row", ".sidebar-foot .row"):
        page.locator(place).first.scroll_into_view_if_needed()
        assert page.evaluate(INSIDE, [place, ".sidebar"])


def test_no_word_is_broken_into_a_column_of_letters_on_a_phone(server, open_page):
    width, height = SCREENS["narrow"]
    page = open_page(server.address, viewport={"width": width, "height": height})
    ask_and_wait(page, "hello")
    answer_again(page)
    last_answer(page).get_by_role("button", name="More").click()
    for label in last_answer(page).locator(".acts .several span, .acts .button").all():
        assert label.bounding_box()["height"] < 60, label.inner_text()
    page.get_by_role("link", name="Compare versions").click()
    for heading in page.locator(".side h2").all():
        assert heading.bounding_box()["height"] < 40


@pytest.mark.parametrize("address", ["/settings", "/"])
def test_where_one_is_shows_without_colours_too(server, open_page, address):
    page = open_page(server.address + address, forced_colors="active")
    if address == "/":
        ask_and_wait(page, "hello")
        chosen = page.locator(".row[aria-current=page]")
        assert chosen.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
        question = page.locator(".message.user .body")
        assert question.evaluate("e => getComputedStyle(e).borderTopStyle") == "solid"
    pressed = page.locator(".theme [aria-pressed=true]")
    assert pressed.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


@pytest.mark.parametrize("screen", ["wide", "phone"])
def test_formulas_are_laid_out_and_a_wide_one_scrolls_by_itself(server, open_page, screen):
    width, height = SCREENS[screen]
    page = open_page(server.address, viewport={"width": width, "height": height})
    wide = "+".join(rf"\frac{{{each}}}{{x}}" for each in range(60))
    ask_and_wait(page, rf"/echo The half is \(\frac{{1}}{{2}}\), and \oops is not. $${wide}$$")
    answer = last_answer(page)
    half = answer.locator("math").first.locator("mfrac")
    over, under = (half.locator("mn").nth(each).bounding_box() for each in (0, 1))
    assert over["y"] + over["height"] <= under["y"] + 2, "the one does not stand above the two"
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    long = answer.locator(".math").last
    assert long.evaluate("e => e.scrollWidth > e.clientWidth")
