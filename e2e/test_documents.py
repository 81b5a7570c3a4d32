"""Attach what one has, see how far it is, find the passages, and delete a file again."""

import base64
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.talk import ask_and_wait, press_without_script

DATA = Path(__file__).parent.parent / "tests" / "data" / "documents"
SAMPLES = DATA / "samples"
SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
DROP = """async ([names, texts, where]) => {
    const carried = new DataTransfer();
    names.forEach((name, at) => {
        const bytes = Uint8Array.from(atob(texts[at]), each => each.charCodeAt(0));
        carried.items.add(new File([bytes], name));
    });
    const target = document.querySelector(where);
    for (const kind of ['dragover', 'drop']) {
        const event = {dataTransfer: carried, bubbles: true, cancelable: true};
        target.dispatchEvent(new DragEvent(kind, event));
    }
}"""
PASTE = """text => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], 'pasted.txt'));
    const event = {clipboardData: carried, bubbles: true, cancelable: true};
    document.getElementById('text').dispatchEvent(new ClipboardEvent('paste', event));
}"""
FOUR = ("notes.md", "plan.pptx", "tika-password.docx", "meeting.eml")


def drop(page, *paths):
    texts = [base64.b64encode(path.read_bytes()).decode() for path in paths]
    page.evaluate(DROP, [[path.name for path in paths], texts, "#conversation"])


def chip(page, name):
    return page.locator(".chip").filter(has_text=name)


def row(page, name):
    return page.locator(".file").filter(has_text=name)


def search(page, words):
    field = page.get_by_role("searchbox", name="Search in these files")
    field.fill(words)
    with page.expect_response(re.compile("/files/found")):
        field.press("Enter")
    return page.locator(".hit")


def test_four_files_are_dropped_three_are_found_and_one_says_why_not(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    page.get_by_label("Your message").fill("A draft that stays")
    drop(page, *(SAMPLES / name for name in FOUR))
    for name in FOUR:
        expect(chip(page, name)).to_contain_text(re.compile("Ready|Cannot be used"))
    expect(chip(page, "tika-password.docx")).to_contain_text("Cannot be used")
    expect(page.locator(".chip.ready")).to_have_count(3)
    expect(page.get_by_label("Your message")).to_have_value("A draft that stays")
    expect(page.locator("#attach-status")).to_have_text("3 files ready, 1 file cannot be searched.")

    page.get_by_role("link", name="Files (4)").click()
    expect(row(page, "tika-password.docx")).to_contain_text("password")
    expect(page.locator(".file-word").filter(has_text="Ready")).to_have_count(3)
    words = (SAMPLES / "notes.md").read_text("utf-8").split("\n\n")[1][:80]
    hits = search(page, words)
    expect(hits.first).to_contain_text("notes.md")
    expect(hits.first.get_by_role("img", name=re.compile(r"Score 0\.\d+ of 1"))).to_be_visible()
    hits.first.get_by_role("link").click()
    expect(page.locator(".passage:target")).to_be_visible()
    field = page.get_by_role("searchbox", name="Search in this file")
    field.fill(words)
    with page.expect_response(re.compile("/found")):
        field.press("Enter")
    expect(page.locator(".hit").first).to_contain_text("passage 1")
    page.get_by_role("link", name="Back to the files").click()

    page.get_by_role("link", name="Delete notes.md").click()
    expect(page.get_by_text("goes for good")).to_be_visible()
    page.get_by_role("button", name="Delete the file").click()
    expect(page.get_by_role("status").filter(has_text="was deleted")).to_be_visible()
    expect(row(page, "notes.md")).to_have_count(0)
    search(page, words)
    expect(page.locator("#file-found")).not_to_contain_text("notes.md")


def test_progress_is_watched_cancelled_and_tried_again(server, open_page, tmp_path):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    # A long text: there is time to see it being read.
    book = tmp_path / "book.txt"
    lines = (f"Sentence {number} tells of the {number * 7}th apple.\n\n" for number in range(60000))
    book.write_text("".join(lines))
    page.locator("#attach-files").set_input_files(book)
    expect(chip(page, "book.txt")).to_contain_text(re.compile(r"Embedding [\d,]+ of [\d,]+"))
    page.get_by_role("link", name="Files (1)").click()
    expect(page.get_by_role("progressbar", name="Progress of book.txt")).to_be_visible()
    page.get_by_role("button", name="Cancel book.txt").click()
    expect(row(page, "book.txt")).to_contain_text("This was cancelled.")
    page.get_by_role("button", name="Retry book.txt").click()
    expect(page.get_by_role("progressbar", name="Progress of book.txt")).to_be_visible()
    page.get_by_role("button", name="Cancel book.txt").click()
    expect(row(page, "book.txt")).to_contain_text("Stopped")


def test_what_is_pasted_or_too_large_or_there_already_is_told(server, open_page, tmp_path):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    page.evaluate(PASTE, "The contract ends with ninety days of notice.")
    expect(chip(page, "pasted.txt")).to_contain_text("Ready")
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * (20 * 2**20 + 1))
    same = tmp_path / "same.txt"
    same.write_text("The contract ends with ninety days of notice.")
    page.locator("#attach-files").set_input_files([large, same])
    notice = page.locator("#notices")
    expect(notice).to_contain_text("“large.txt” was not attached.")
    expect(notice).to_contain_text("“same.txt” is the same file as “pasted.txt”")
    expect(page.locator(".chip")).to_have_count(1)


def test_files_stand_above_the_next_question_until_it_is_asked(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    page.locator("#attach-files").set_input_files(SAMPLES / "notes.md")
    expect(chip(page, "notes.md")).to_contain_text("Ready")
    page.reload()
    expect(page.locator(".chip")).to_have_count(1)
    ask_and_wait(page, "/retrieve notes")
    expect(page.locator(".chip")).to_have_count(0)
    expect(page.get_by_role("link", name="Files (1)")).to_be_visible()


def test_all_of_it_works_without_a_script(server, open_page):
    page = open_page(server.address, java_script_enabled=False)
    page.get_by_label("Your message").fill("hello")
    press_without_script(page, page.get_by_role("button", name="Send"))
    page.get_by_label("Attach files").set_input_files(SAMPLES / "notes.md")
    press_without_script(page, page.get_by_role("button", name="Attach", exact=True))
    expect(row(page, "notes.md")).to_be_visible()
    for _ in range(100):
        if page.locator(".file.ready").count():
            break
        page.wait_for_timeout(100)
        page.reload()
    page.get_by_label("Search in these files").fill("notes")
    press_without_script(page, page.get_by_role("button", name="Search"))
    expect(page.locator(".hit").first).to_contain_text("notes.md")
    page.get_by_role("link", name="notes.md").first.click()
    expect(page.get_by_role("link", name="Original")).to_be_visible()


@pytest.mark.parametrize(("screen", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_the_files_fit_every_screen(server, open_page, tmp_path, screen, scheme):
    page = open_page(server.address, viewport=SCREENS[screen], color_scheme=scheme)
    ask_and_wait(page, "hello")
    long = tmp_path / f"{'a-very-long-name-' * 10}.txt"
    long.write_text("The tenant waters the garden every morning.\n\n" * 3)
    paths = [long, *(SAMPLES / name for name in FOUR)]
    page.locator("#attach-files").set_input_files(paths)
    expect(page.locator(".chip:is(.ready, .rejected)")).to_have_count(5)

    def look(name):
        assert page.evaluate(OVERFLOW) <= 0
        page.screenshot(path=tmp_path / f"{name}-{screen}-{scheme}.png", full_page=True)

    look("thread")
    page.get_by_role("link", name="Files (5)").click()
    search(page, "Who waters the garden?")
    expect(page.locator(".hit").first).to_be_visible()
    look("files")
    page.locator("#file-search").scroll_into_view_if_needed()
    page.locator(".hit").last.scroll_into_view_if_needed()
    look("found")
    page.locator(".file.ready h3 a").first.click()
    expect(page.locator(".passage").first).to_be_visible()
    look("one")
