"""See and steer what the smallest real model sees."""

import re

import pytest
from playwright.sync_api import expect

from e2e.talk import answers, ask, last_answer
from e2e.window_bar import bar, questions, state, used_at_rest, wait_for_used

FACTS = (
    "The hotel in Bergen is called Seaside and costs 90 euros a night. Breakfast is at seven. It "
    "has no place for a car, so Carla leaves hers at the station and takes the bus from there. ",
    "The train to Bergen leaves on 12 May at ten from platform four. The tickets cost 64 euros "
    "for the two of us, and Olaf has paid them already. He also carries the tent. ",
    "On Tuesday we see the castle and the fish market, on Wednesday the museum of ships. Carla "
    "wants to buy a red coat for her sister, whose birthday is in June. ",
    "On Thursday it will rain, says the forecast, so we stay in and play cards. Olaf brings them, "
    "and Carla brings the tea and a cake with plums from her garden. ",
    "The way back is by ship. It leaves on Friday at noon and takes nine hours; a cabin costs 30 "
    "euros more, which we do not want. We sleep on deck if it is warm. ",
)


class RealTalk:
    """Short answers of the real model, waited for."""

    def __init__(self, page):
        self.page = page

    def ask(self, words):
        count = answers(self.page).count()
        ask(self.page, words)
        expect(answers(self.page)).to_have_count(count + 1)
        expect(last_answer(self.page).get_by_label("Details")).to_be_visible(timeout=120_000)

    def notes(self):
        """The card of the notes. The model is small: what comes to nothing is asked for again."""
        card, failed = self.page.locator(".notes-card"), self.page.locator(".notes-failed")
        for _ in range(10):
            expect(card.or_(failed).first).to_be_visible(timeout=120_000)
            if card.count():
                break
            reason = failed.first.inner_text()
            failed.first.get_by_role("button", name="Write them now").click()
            expect(failed.filter(has_text=reason)).to_have_count(0)
        return card


@pytest.mark.model
def test_with_the_real_model_pin_mute_and_edited_notes_decide_what_it_sees(start_server, open_page):
    bounds = ("--context-tokens", "640", "--max-output-tokens", "24")
    page = open_page(start_server("--small", *bounds, engine="llama_cpp").address)
    talk = RealTalk(page)

    # The bar is the model's own count, and grows with the talk.
    talk.ask("My cat is called Ada. Say hello.")
    expect(bar(page).locator(".window-words")).to_have_text(re.compile(r"^\d+ of 616 tokens"))
    first, begun = questions(page).first, used_at_rest(page)
    first.focus()
    page.keyboard.press("p")
    state(first, "Pinned")
    expect(bar(page).locator("rect.pinned").first).to_be_attached()
    talk.ask(f"{FACTS[0]}Say yes.")
    wait_for_used(page, f"> {begun + 40}")

    # A mute takes what the message costs, and gives it back.
    before, last = used_at_rest(page), questions(page).last
    last.focus()
    page.keyboard.press("x")
    state(last, "Muted")
    wait_for_used(page, f"< {before - 40}")
    last.focus()
    page.keyboard.press("x")
    state(last, "Sent")
    wait_for_used(page, f"== {before}")

    # When it is full, notes stand in for what leaves, and the pin stays.
    for number in range(20):
        if page.locator(".notes-card, .notes-failed").count():
            break
        talk.ask(f"{FACTS[1 + number % 4]}Say yes.")
        expect(bar(page)).not_to_have_attribute("data-expecting", "", timeout=120_000)
    card = talk.notes()
    expect(card).to_contain_text(re.compile(r"Notes stand in for \d+ earlier messages"))
    expect(card.get_by_role("link", name=re.compile("From message")).first).to_be_attached()
    expect(bar(page).locator("rect.summary").first).to_be_attached()
    state(first, "Pinned")
    state(questions(page).nth(1), "Summarised")

    # The next request carries the notes as a person wrote them.
    card.get_by_role("link", name="Edit").click()
    card.get_by_role("textbox").fill("- The hotel is now called Lantern.")
    card.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("edited by hand")
    talk.ask("What is the hotel called?")
    last_answer(page).get_by_label("Details").click()
    last_answer(page).get_by_role("link", name="What was sent").click()
    sent = page.locator(".sent-part")
    expect(sent.and_(page.locator(".system"))).to_contain_text("- The hotel is now called Lantern.")
    expect(sent.and_(page.locator(".user")).first).to_contain_text("My cat is called Ada.")
    expect(sent.filter(has_text="Seaside")).to_have_count(0)
