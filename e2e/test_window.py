"""See and steer what the model sees: the bar, pins and mutes, notes, and what was sent."""

import re

import pytest
from playwright.sync_api import expect

from e2e.talk import ask_and_wait, last_answer, press_without_script
from e2e.window_bar import bar, questions, state, used, used_at_rest, wait_for_used

SMALL = ("--context-tokens", "700", "--max-output-tokens", "100")
WORDS = "word and word and more " * 8
SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def small(start_server):
    return start_server(*SMALL)


def table(page):
    return page.locator("#window-table")


def fill(page, turns, begun=0):
    for number in range(begun, begun + turns):
        ask_and_wait(page, f"Question {number} {WORDS}")


def settings_of(page):
    return re.sub(r"[?#].*", "", page.url) + "/window/settings"


def test_pin_mute_and_notes_decide_what_the_model_sees_and_what_was_sent_proves_it(
    small, open_page
):
    page = open_page(small.address)
    ask_and_wait(page, "My cat is called Ada.")
    first = questions(page).first
    first.focus()
    page.keyboard.press("p")
    state(first, "Pinned")
    expect(first).to_be_focused()
    expect(bar(page).locator("rect.pinned").first).to_be_attached()

    fill(page, 5)
    card = page.locator(".notes-card")
    expect(card).to_contain_text(re.compile(r"Notes stand in for \d+ earlier messages"))
    state(first, "Pinned")
    state(questions(page).nth(1), "Summarised")
    expect(bar(page).locator("rect.summary").first).to_be_attached()

    before, last = used_at_rest(page), questions(page).last
    last.focus()
    page.keyboard.press("x")
    state(last, "Muted")
    wait_for_used(page, f"< {before}")
    page.get_by_role("button", name="Undo").click()
    state(last, "Sent")
    expect(bar(page).locator(".window-words")).to_contain_text(f"{before} of")

    card.get_by_role("link", name="Edit").click()
    field = card.get_by_role("textbox")
    expect(field).to_be_focused()
    field.fill("- The cat likes herring.")
    card.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("edited by hand")
    ask_and_wait(page, "What does Ada like?")
    last_answer(page).get_by_label("Details").click()
    last_answer(page).get_by_role("link", name="What was sent").click()
    expect(page.locator(".sent-part.system")).to_contain_text("The cat likes herring.")
    expect(page.locator(".sent-part.user").first).to_contain_text("My cat is called Ada.")
    expect(page.get_by_role("link", name="Copy as JSON")).to_be_visible()


def test_the_bar_follows_the_draft_and_leaves_who_writes_alone(small, open_page):
    page = open_page(small.address)
    ask_and_wait(page, "hello")
    asked = []
    page.on("request", lambda each: each.url.endswith("/window") and asked.append(each))
    bar(page).locator("summary").click()
    field = page.get_by_label("Your message")
    before = used(page)
    field.fill("one two three four five six seven")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(table(page)).to_contain_text("Your draft")
    assert used(page) > before
    expect(table(page)).to_be_visible()
    expect(field).to_be_focused()
    assert field.evaluate("e => e.selectionStart") == 28
    expect(bar(page).locator(".window-warning")).to_be_hidden()

    field.fill("word " * 360)
    expect(bar(page)).to_contain_text("More than 85 % of the window is used.")
    field.fill("")
    expect(bar(page).locator(".window-words")).to_contain_text(f"{before} of")
    expect(bar(page).locator(".window-warning")).to_be_hidden()

    # Nothing is asked while a character is being composed.
    count = len(asked)
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    page.wait_for_timeout(700)
    assert len(asked) == count
    keyboard.send("Input.insertText", {"text": "日本"})
    expect(table(page)).to_contain_text("Your draft")
    page.keyboard.press("Escape")
    expect(table(page)).to_be_hidden()


def test_without_notes_what_is_left_out_is_told_and_found(small, open_page):
    page = open_page(small.address)
    ask_and_wait(page, "The very first question")
    thread = page.url
    page.goto(settings_of(page))
    page.get_by_label("Notes stand in for earlier messages").select_option("off")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    page.goto(thread)
    fill(page, 5)
    state(questions(page).first, "Left out")
    last_answer(page).get_by_role("link", name=re.compile("earlier messages were left out")).click()
    expect(questions(page).first).to_be_in_viewport()
    bar(page).locator("summary").click()
    table(page).get_by_role("button", name="Write notes now").click()
    expect(page.locator(".notes-card")).to_contain_text("Notes stand in for")
    state(questions(page).first, "Summarised")
    table(page).get_by_role("link", name="Settings").click()
    page.get_by_label("Window, in tokens").fill("0")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Back to the thread").last.click()
    expect(page.locator(".state.left_out")).to_have_count(0)


def test_all_of_it_works_without_a_script(small, open_page):
    page = open_page(small.address, java_script_enabled=False)
    page.get_by_label("Your message").fill("hello")
    press_without_script(page, page.get_by_role("button", name="Send"))
    expect(bar(page).locator("summary")).to_be_visible()
    bar(page).locator("summary").click()
    expect(table(page)).to_contain_text("Kept for the answer")
    page.get_by_role("link", name="More").first.or_(page.get_by_label("More").first).first.click()
    press_without_script(page, page.get_by_role("button", name="Mute"))
    state(questions(page).first, "Muted")
    press_without_script(page, page.get_by_role("button", name="Undo"))
    state(questions(page).first, "Sent")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_bar_fits_every_screen_in_each_of_its_states(
    small, open_page, tmp_path, screen, scheme
):
    page = open_page(small.address, viewport=SCREENS[screen], color_scheme=scheme)
    seen = []

    def look(name):
        assert page.evaluate(OVERFLOW) <= 0
        line = bar(page).locator("summary").bounding_box()
        assert line["height"] < 50
        assert line["x"] + line["width"] <= SCREENS[screen]["width"]
        page.screenshot(path=tmp_path / f"{name}-{screen}-{scheme}.png")
        seen.append(name)

    ask_and_wait(page, "hello")
    look("empty")
    fill(page, 2)
    look("half")
    page.get_by_label("Your message").fill("word " * 160)
    expect(bar(page)).to_contain_text("More than 85 %")
    look("full")
    page.get_by_label("Your message").fill("")
    fill(page, 4, begun=2)
    expect(page.locator(".notes-card")).to_be_visible()
    bar(page).locator("summary").click()
    expect(table(page)).to_contain_text("Notes")
    box = table(page).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= SCREENS[screen]["width"]
    assert box["y"] >= 0
    look("notes")
    assert seen == ["empty", "half", "full", "notes"]
