"""A project from its first file to answers in its threads; files dropped on the start page."""

import base64
import re

import pytest
from playwright.sync_api import expect

from e2e.talk import ask_and_wait, last_answer, press_without_script, wait_for_end
from e2e.test_documents import DROP, OVERFLOW, PASTE, SCREENS

RULE = "The travel allowance is forty euros for each day away.\n"
QUESTION = "What is the travel allowance for each day away?"


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text(RULE)
    return path


def chip(page, name):
    return page.locator(".chip").filter(has_text=name)


def drop(page, *paths):
    texts = [base64.b64encode(path.read_bytes()).decode() for path in paths]
    page.evaluate(DROP, [[path.name for path in paths], texts, "#main"])


def begin_in_project(page, question):
    page.get_by_label("Your message").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator("#in-project")).to_be_visible()
    wait_for_end(page)


@pytest.mark.parametrize(("screen", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_two_threads_find_the_file_of_their_project_and_one_moved_out_does_not(
    start_server, open_page, rules, tmp_path, screen, scheme
):
    page = open_page(
        f"{start_server().address}/projects", viewport=SCREENS[screen], color_scheme=scheme
    )

    def look(name):
        assert page.evaluate(OVERFLOW) <= 0
        page.screenshot(path=tmp_path / f"{name}-{screen}-{scheme}.png", full_page=True)

    look("projects")
    page.get_by_label("Name").fill("Travel")
    page.get_by_label("Instructions").fill("Be brief.")
    page.get_by_role("button", name="Create the project").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Travel")
    page.wait_for_load_state()
    page.locator("#attach-files").set_input_files(rules)
    expect(page.locator(".file.ready")).to_have_count(1)
    project = page.url
    for number in (1, 2):
        page.goto(project)
        begin_in_project(page, f"{QUESTION} Number {number}.")
        last_answer(page).get_by_text("Searched your files: 1 passage").click()
        expect(last_answer(page).locator(".source-list")).to_contain_text("project Travel")
    look("thread")
    page.locator("#thread-menu summary").click()
    look("menu")
    page.get_by_label("Project", exact=True).select_option("None")
    page.get_by_role("button", name="Move", exact=True).press("Enter")
    expect(page.locator("#in-project")).to_have_count(0)
    page.wait_for_load_state()
    ask_and_wait(page, f"{QUESTION} Once more.")
    expect(last_answer(page).locator(".source-list")).to_have_count(0)
    page.goto(project)
    expect(page.locator(".member")).to_have_count(1)
    look("project")
    page.get_by_role("link", name="Delete the project").click()
    expect(page.get_by_text("Its thread stays")).to_be_visible()
    look("removal")
    page.get_by_role("button", name="Delete the project").press("Enter")
    expect(page.get_by_role("status").filter(has_text="was deleted")).to_be_visible()


def test_files_dropped_on_the_start_page_begin_a_thread_with_the_draft(
    server, open_page, rules, tmp_path
):
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * (20 * 2**20 + 1))
    page = open_page(server.address)
    field = page.get_by_label("Your message")
    field.fill("A draft that stays")
    page.locator("#attach-files").set_input_files(large)
    expect(page.locator("#notices")).to_contain_text("“large.txt” was not attached.")
    expect(field).to_have_value("A draft that stays")
    drop(page, rules, large)
    page.wait_for_url(re.compile("/threads/"))
    expect(chip(page, "rules.txt")).to_contain_text("Ready")
    expect(page.locator("#notices")).to_contain_text("“large.txt” was not attached.")
    expect(field).to_have_value("A draft that stays")
    ask_and_wait(page, QUESTION)
    page.goto(server.address)
    expect(page.get_by_label("Your message")).to_have_value("")
    page.evaluate(PASTE, RULE)
    page.wait_for_url(re.compile("/threads/"))
    expect(chip(page, "pasted.txt")).to_be_visible()


def test_a_file_dropped_where_none_can_be_attached_opens_nothing(server, open_page, rules):
    page = open_page(f"{server.address}/trash")
    drop(page, rules)
    caught = page.evaluate("""() => {
        const carried = new DataTransfer();
        carried.items.add(new File(['x'], 'x.txt'));
        const event = {dataTransfer: carried, bubbles: true, cancelable: true};
        return !document.body.dispatchEvent(new DragEvent('drop', event));
    }""")
    assert caught
    assert page.url.endswith("/trash")


def test_the_start_page_takes_files_without_a_script(server, open_page, rules):
    page = open_page(server.address, java_script_enabled=False)
    page.get_by_label("Your message").fill("A draft that stays")
    page.get_by_label("Attach files").set_input_files(rules)
    press_without_script(page, page.get_by_role("button", name="Attach", exact=True))
    expect(chip(page, "rules.txt")).to_be_visible()
    expect(page.get_by_label("Your message")).to_have_value("A draft that stays")
    page.goto(server.address)
    page.get_by_label("Your message").fill(QUESTION)
    page.get_by_label("Attach files").set_input_files(rules)
    press_without_script(page, page.get_by_role("button", name="Send"))
    expect(page.locator("article.message.user")).to_contain_text(QUESTION)
    expect(chip(page, "rules.txt")).to_be_visible()
