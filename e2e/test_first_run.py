"""The first minutes: steps that tick themselves off, and a thread that shows what there is."""

import pytest
from playwright.sync_api import expect

from e2e.talk import ask_and_wait

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
LEASE = {"name": "lease.txt", "mimeType": "text/plain", "buffer": b"Notice: ninety days."}


def steps(page):
    return page.get_by_role("region", name="Three first steps")


@pytest.mark.parametrize("screen", SCREENS)
def test_steps_tick_themselves_off_and_end(start_server, open_page, screen):
    server = start_server()
    page = open_page(server.address, viewport=SCREENS[screen])
    done = steps(page).get_by_label("Done")
    expect(done).to_have_count(1)
    ask_and_wait(page, "hello")
    thread = page.url
    page.goto(server.address)
    expect(done).to_have_count(2)
    page.goto(thread)
    page.locator("input[type=file]").first.set_input_files(LEASE)
    expect(page.get_by_role("list", name="Files of this thread")).to_contain_text("Ready")
    page.goto(server.address)
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    expect(steps(page)).to_have_count(0)


@pytest.mark.parametrize("screen", SCREENS)
def test_the_sample_is_opened_by_keyboard_looked_at_and_deleted(start_server, open_page, screen):
    server = start_server()
    page = open_page(server.address, viewport=SCREENS[screen])
    page.get_by_role("button", name="Look at a sample thread").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/threads/*")
    first = page.locator("article.message.assistant").first
    expect(first.locator(".version")).to_have_text("2/2")
    expect(page.locator("article.message").first).to_be_in_viewport()  # a tour begins at its top
    first.focus()
    page.keyboard.press("ArrowLeft")
    expect(first.locator(".version")).to_have_text("1/2")
    expect(first).to_contain_text("It is overwritten")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(first.locator(".version")).to_have_text("2/2")
    last = page.locator("article.message.assistant").last
    number = last.locator(".body a.cite").first
    expect(number).to_be_visible()
    number.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Each thread is a directory of its own").last).to_be_visible()
    page.goto(server.address)
    page.get_by_role("button", name="Not now").click()
    expect(steps(page)).to_have_count(0)
    page.get_by_role("button", name="A sample thread").click()
    page.wait_for_url("**/threads/*")
    page.locator(".thread-menu summary").click()
    page.get_by_role("button", name="Move to the trash").click()
    expect(page.get_by_text("is in the trash")).to_be_visible()
