"""What a person does on the page, in a person's words."""

import re

from playwright.sync_api import expect


def ask(page, text):
    page.get_by_label("Your message").fill(text)
    page.keyboard.press("Enter")


def answers(page):
    return page.locator("article.message.assistant")


def last_answer(page):
    return answers(page).last


def body(message):
    return message.locator(".body")


def wait_for_end(page):
    """Until nothing streams any more, the last answer has its buttons, and scripts have run."""
    page.wait_for_load_state()
    expect(page.locator("article.message.live")).to_have_count(0)
    again = last_answer(page).get_by_role("button", name=re.compile("Answer again|Try again"))
    expect(again.first).to_be_visible()


def ask_and_wait(page, text):
    ask(page, text)
    expect(page.locator("article.message.user").filter(has_text=text[:40]).last).to_be_visible()
    wait_for_end(page)


def answer_again(page):
    count = last_answer(page).get_attribute("id")
    last_answer(page).get_by_role("button", name="Answer again").click()
    expect(page.locator(f"#{count}")).to_have_count(0)
    wait_for_end(page)


def version(page):
    """What stands between < and >, of the last answer."""
    return last_answer(page).locator(".version")


def press_without_script(page, button):
    """A form is sent and the page that comes of it is there, whole: reloading it is safe then."""
    with page.expect_navigation(wait_until="load"):
        button.click()
