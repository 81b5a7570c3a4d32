"""The main story from the first question to the export, by keys alone: no click, and no focus but
where keys lead it."""

import re

import pytest
from playwright.sync_api import expect

from e2e.talk import answers, last_answer, wait_for_end

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
LEASE = b"# Lease\n\nThe notice period is ninety days.\n\n# Deposit\n\nThe deposit is 400 euro.\n"
STEPS = 90


class Keys:
    """Moves on until it is there, as a person does who looks at the ring around the focus."""

    def __init__(self, page):
        self.page = page

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def to(self, target, key="Tab"):
        expect(target).to_be_visible()
        for _ in range(STEPS):
            if target.evaluate("element => element === document.activeElement"):
                self.seen(target)
                return
            self.press(key)
        raise AssertionError(f"{key} does not lead to {target}")

    def seen(self, target):
        """What has the focus looks like it."""
        ring = "e => getComputedStyle(e).outlineStyle + getComputedStyle(e).boxShadow"
        inside = "e => e.parentElement && getComputedStyle(e.parentElement).borderColor"
        assert target.evaluate(ring) != "nonenone" or target.evaluate(inside)

    def enter(self, target, key="Tab"):
        self.to(target, key)
        self.press("Enter")

    def type(self, words):
        self.page.keyboard.type(words)


@pytest.mark.parametrize("screen", SCREENS)
def test_from_the_first_question_to_the_export(start_server, open_page, screen):
    page = open_page(start_server().address, viewport=SCREENS[screen])
    keys, box = Keys(page), page.get_by_label("Your message")
    expect(box).to_be_focused()
    keys.type("Name a fish")
    keys.press("Enter")
    expect(page.locator("article.message.user")).to_have_count(1)
    wait_for_end(page)

    attach_a_file(page, keys)
    keys.to(box)
    keys.type("/echo The notice period is ninety days.")
    keys.press("Enter")
    expect(answers(page)).to_have_count(2)
    wait_for_end(page)
    follow_a_number(page, keys)
    versions_of_the_answer(page, keys)
    edit_the_question(page, keys)
    pin_and_delete_and_undo(page, keys)
    over_the_map(page, keys, screen)
    search(page, keys, screen)
    rename_and_export(page, keys)


def to_the_last_answer(page, keys):
    """As the sheet of keys says: to the empty box, and out of it."""
    keys.press("/")
    expect(page.get_by_label("Your message")).to_be_focused()
    keys.press("Escape")
    expect(last_answer(page)).to_be_focused()


def attach_a_file(page, keys):
    with page.expect_file_chooser() as opened:
        keys.enter(page.get_by_label("Attach files").first, "Shift+Tab")
    opened.value.set_files({"name": "lease.md", "mimeType": "text/markdown", "buffer": LEASE})
    expect(page.get_by_role("list", name="Files of this thread")).to_contain_text("Ready")


def follow_a_number(page, keys):
    number = last_answer(page).locator("a.cite").first
    expect(number).to_be_visible()
    keys.enter(number, "Shift+Tab")
    panel = page.locator("#passage-panel")
    expect(panel).to_contain_text("ninety days")
    keys.press("Escape")
    expect(panel).to_be_hidden()
    expect(number).to_be_focused()


def versions_of_the_answer(page, keys):
    keys.press("r")
    expect(last_answer(page).locator(".version")).to_have_text("2/2")
    wait_for_end(page)
    to_the_last_answer(page, keys)
    keys.press("ArrowLeft")
    expect(last_answer(page).locator(".version")).to_have_text("1/2")
    keys.press("ArrowRight")
    expect(last_answer(page).locator(".version")).to_have_text("2/2")


def edit_the_question(page, keys):
    question = page.locator("article.message.user").last
    keys.press("ArrowUp")
    expect(question).to_be_focused()
    keys.press("e")
    expect(page.locator(".editing textarea")).to_be_focused()
    keys.press("ControlOrMeta+a")
    keys.type("/echo The deposit is 400 euro.")
    keys.enter(page.get_by_role("button", name="Save and answer"))
    expect(last_answer(page)).to_contain_text("deposit is 400")
    expect(page.locator("article.message.user").last.locator(".version")).to_have_text("2/2")
    wait_for_end(page)


def pin_and_delete_and_undo(page, keys):
    to_the_last_answer(page, keys)
    keys.press("p")
    expect(last_answer(page)).to_have_attribute("data-pinned", "")
    expect(last_answer(page)).to_be_focused()
    keys.press("d")
    keys.enter(last_answer(page).locator(".acts").get_by_role("button", name="Delete").first)
    expect(answers(page)).to_have_count(1)
    keys.enter(page.get_by_role("button", name="Undo"))
    expect(answers(page)).to_have_count(2)


def over_the_map(page, keys, screen):
    """To the other version of the question; where it is narrow, the map is a list."""
    to_the_last_answer(page, keys)
    keys.press("m")
    if screen == "phone":
        keys.enter(page.locator("#outline a").filter(has_text="notice period").first)
    else:
        here = page.get_by_role("link", name="Answer: The deposit is 400 euro., you are here")
        expect(here).to_be_focused()
        keys.press("ArrowUp", "ArrowLeft", "Enter")
    expect(page).to_have_url(re.compile(r"/threads/[^/]+(\?|#|$)"))
    expect(last_answer(page)).to_contain_text("notice period is ninety days")


def search(page, keys, screen):
    if screen == "phone":
        keys.enter(page.get_by_role("button", name="Threads"), "Shift+Tab")
    keys.to(page.get_by_role("searchbox", name="Search all threads"))
    keys.type("deposit")
    keys.press("Enter")
    hit = page.locator(".said-hit a").filter(has_text="Answer").first
    expect(hit.locator("mark").first).to_have_text("deposit")
    keys.enter(hit)
    expect(page.locator("article.message:target")).to_contain_text("deposit is 400")


def rename_and_export(page, keys):
    menu = page.locator(".thread-menu summary")
    keys.enter(menu, "Shift+Tab")
    title = page.locator(".rename input[name=title]")
    keys.to(title)
    keys.press("ControlOrMeta+a")
    keys.type("By keys alone")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="By keys alone")).to_be_visible()
    if not page.locator(".thread-menu[open]").count():
        keys.enter(menu)
    keys.enter(page.locator(".thread-menu").get_by_role("link", name="Export"))
    with page.expect_download() as fetched:
        keys.enter(page.get_by_role("link", name="Markdown, all versions"))
    assert fetched.value.suggested_filename.startswith("By keys alone")
