"""An assistant is made, chosen for a thread, and what the model is told is what was shown."""

import pytest
from playwright.sync_api import expect

from e2e.talk import ask, last_answer

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("screen", SCREENS)
def test_an_assistant_is_made_chosen_and_sent_by_keyboard(start_server, open_page, screen):
    address = start_server().address
    page = open_page(f"{address}/assistants/new", viewport=SCREENS[screen])
    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type("Pirate")
    page.get_by_label("Instructions").focus()
    page.keyboard.type("Talk like a pirate. Today is {{ Current_Date }}.")
    preview = page.get_by_role("region", name="What the model is told")
    expect(preview).to_contain_text("Talk like a pirate. Today is ")
    expect(preview).not_to_contain_text("{{")
    told = preview.locator("pre, blockquote, p").last.inner_text()
    assert page.evaluate(OVERFLOW) == 0
    page.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Pirate").first).to_be_visible()

    page.goto(f"{address}/")
    page.get_by_label("Assistant").select_option(label="P Pirate")
    ask(page, "Where is the treasure?")
    expect(last_answer(page).get_by_label("Details")).to_be_visible()
    last_answer(page).get_by_label("Details").click()
    last_answer(page).get_by_role("link", name="What was sent").click()
    expect(page.locator("main")).to_contain_text(told)
    expect(page.locator("main")).not_to_contain_text("Answer in the language of the latest")
