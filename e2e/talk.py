"""What a person does on the page, in a person's words."""

from playwright.sync_api import expect


def ask(page, text):
    page.get_by_role("textbox", name="Message").fill(text)
    page.keyboard.press("Enter")


def last_answer(page):
    return page.locator("article[data-role=assistant]").last


def wait_for_end(page):
    """Until nothing streams any more."""
    expect(page.locator("#conversation [data-stream]")).to_have_count(0)


def versions(page):
    """What stands between < and >, of the last answer."""
    return last_answer(page).locator(".versions-count")
