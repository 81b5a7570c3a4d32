"""Anything that was said is found again, on whatever branch, by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from e2e.talk import answer_again, ask_and_wait, version

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


@pytest.mark.parametrize("screen", SCREENS)
def test_a_version_that_is_not_shown_is_found_and_opened_there(start_server, open_page, screen):
    server = start_server()
    page = open_page(server.address, viewport=SCREENS[screen])
    ask_and_wait(page, "/echo 我在里斯本买了一本笔记本 lighthouse")
    thread = page.url.split("#")[0].split("?")[0]
    question = page.locator("article.message.user").first
    question.focus()
    page.keyboard.press("e")
    field = page.locator(".editing textarea")
    expect(field).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("/echo Something else altogether")
    page.get_by_role("button", name="Save and answer").focus()
    page.keyboard.press("Enter")
    expect(page.locator("article.message.assistant")).to_contain_text("Something else")
    page.goto(f"{server.address}/search")
    box = page.get_by_label("Search everything said")
    expect(box).to_be_focused()
    page.keyboard.type("笔记")
    hits = page.locator(".said-hit a")
    expect(hits.first).to_contain_text("on a branch that is not shown")
    expect(hits.first.locator("mark").first).to_have_text("笔记")
    box.fill("light")
    expect(hits.first.locator("mark").first).to_have_text("light")
    page.keyboard.press("Enter")
    expect(hits.first).to_be_visible()
    hits.filter(has_text="Answer").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?at=.*#message-"))
    expect(page.locator("article.message:target")).to_contain_text("lighthouse")
    expect(page.get_by_text("This is not the branch")).to_be_visible()
    page.goto(thread)
    expect(page.locator("article.message.assistant")).to_contain_text("Something else")


def test_what_has_the_focus_keeps_it_when_the_answer_to_enter_comes(start_server, open_page):
    server = start_server()
    page = open_page(server.address)
    ask_and_wait(page, "/echo The lighthouse keeper sleeps by day.")
    page.goto(f"{server.address}/search")
    page.keyboard.type("keeper")
    hit = page.locator(".said-hit a").filter(has_text="Answer")
    expect(hit).to_be_visible()
    held = []

    def hold(route):
        held.append(route)

    page.route("**/search?q=keeper*", hold)
    page.keyboard.press("Enter")
    while not held:
        page.wait_for_timeout(20)
    hit.focus()
    with page.expect_response("**/search?q=keeper*"):
        held[0].continue_()
    page.wait_for_timeout(1500)  # what comes after the hits has come too
    expect(hit).to_be_focused()


def test_without_a_script_a_form_does_it(start_server, open_page):
    server = start_server()
    page = open_page(server.address)
    ask_and_wait(page, "/echo the harbour wall")
    answer_again(page)
    expect(version(page)).to_have_text("2/2")
    plain = open_page(f"{server.address}/", java_script_enabled=False)
    plain.get_by_label("Search all threads").fill("harbour")
    plain.keyboard.press("Enter")
    expect(plain.locator(".said-hit").filter(has_text="version 1 of 2")).to_have_count(1)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
