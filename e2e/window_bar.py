"""The bar of the window, and how a page shows the state of a message."""

import re

from playwright.sync_api import expect


def bar(page):
    return page.locator("#window")


def used(page):
    """Tokens, as the bar says."""
    return int(re.search(r"([\d,]+) of", bar(page).locator(".window-words").inner_text())[1])


USED = "Number(document.querySelector('#window .window-words').textContent.match(/[\\d,]+/)[0])"
AT_REST = f"""async () => {{
    for (let last, since = performance.now(); performance.now() - since < 1500;) {{
        if ({USED} !== last) [last, since] = [{USED}, performance.now()];
        await new Promise((after) => setTimeout(after, 100));
    }}
    return {USED};
}}"""


def used_at_rest(page):
    """The same once it does not change any more: an answer is counted a moment after it ended."""
    return page.evaluate(AT_REST)


def wait_for_used(page, comparison):
    page.wait_for_function(f"() => {USED} {comparison}")


def questions(page):
    return page.locator("article.message.user")


def state(message, word):
    expect(message.locator(".state")).to_have_text(word)
