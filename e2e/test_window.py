"""See and steer what the model sees: the bar, pins and mutes, notes, and what was sent."""

import re

import pytest
from playwright.sync_api import expect

from e2e.talk import answers, ask, ask_and_wait, last_answer, press_without_script

SMALL = ("--context-tokens", "700", "--max-output-tokens", "100")
WORDS = "word and word and more " * 8
SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def small(start_server):
    return start_server(*SMALL)


def bar(page):
    return page.locator("#window")


def table(page):
    return page.locator("#window-table")


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


def fill(page, turns, begun=0):
    for number in range(begun, begun + turns):
        ask_and_wait(page, f"Question {number} {WORDS}")


def settings_of(page):
    return re.sub(r"[?#].*", "", page.url) + "/window/settings"


def test_pin_mute_and_notes_decide_what_the_model_sees_and_what_was_sent_proves_it(
    small, open_page
):
    page = open_page(small.address)
    ask_and_wait(page, "My cat is called Ada.")
    first = questions(page).first
    first.focus()
    page.keyboard.press("p")
    state(first, "Pinned")
    expect(first).to_be_focused()
    expect(bar(page).locator("rect.pinned").first).to_be_attached()

    fill(page, 5)
    card = page.locator(".notes-card")
    expect(card).to_contain_text(re.compile(r"Notes stand in for \d+ earlier messages"))
    state(first, "Pinned")
    state(questions(page).nth(1), "Summarised")
    expect(bar(page).locator("rect.summary").first).to_be_attached()

    before, last = used_at_rest(page), questions(page).last
    last.focus()
    page.keyboard.press("x")
    state(last, "Muted")
    wait_for_used(page, f"< {before}")
    page.get_by_role("button", name="Undo").click()
    state(last, "Sent")
    expect(bar(page).locator(".window-words")).to_contain_text(f"{before} of")

    card.get_by_role("link", name="Edit").click()
    field = card.get_by_role("textbox")
    expect(field).to_be_focused()
    field.fill("- The cat likes herring.")
    card.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("edited by hand")
    ask_and_wait(page, "What does Ada like?")
    last_answer(page).get_by_label("Details").click()
    last_answer(page).get_by_role("link", name="What was sent").click()
    expect(page.locator(".sent-part.system")).to_contain_text("The cat likes herring.")
    expect(page.locator(".sent-part.user").first).to_contain_text("My cat is called Ada.")
    expect(page.get_by_role("link", name="Copy as JSON")).to_be_visible()


def test_the_bar_follows_the_draft_and_leaves_who_writes_alone(small, open_page):
    page = open_page(small.address)
    ask_and_wait(page, "hello")
    asked = []
    page.on("request", lambda each: each.url.endswith("/window") and asked.append(each))
    bar(page).locator("summary").click()
    field = page.get_by_label("Your message")
    before = used(page)
    field.fill("one two three four five six seven")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(table(page)).to_contain_text("Your draft")
    assert used(page) > before
    expect(table(page)).to_be_visible()
    expect(field).to_be_focused()
    assert field.evaluate("e => e.selectionStart") == 28
    expect(bar(page).locator(".window-warning")).to_be_hidden()

    field.fill("word " * 360)
    expect(bar(page)).to_contain_text("More than 85 % of the window is used.")
    field.fill("")
    expect(bar(page).locator(".window-words")).to_contain_text(f"{before} of")
    expect(bar(page).locator(".window-warning")).to_be_hidden()

    # Nothing is asked while a character is being composed.
    count = len(asked)
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    page.wait_for_timeout(700)
    assert len(asked) == count
    keyboard.send("Input.insertText", {"text": "日本"})
    expect(table(page)).to_contain_text("Your draft")
    page.keyboard.press("Escape")
    expect(table(page)).to_be_hidden()


def test_without_notes_what_is_left_out_is_told_and_found(small, open_page):
    page = open_page(small.address)
    ask_and_wait(page, "The very first question")
    thread = page.url
    page.goto(settings_of(page))
    page.get_by_label("Notes stand in for earlier messages").select_option("off")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    page.goto(thread)
    fill(page, 5)
    state(questions(page).first, "Left out")
    last_answer(page).get_by_role("link", name=re.compile("earlier messages were left out")).click()
    expect(questions(page).first).to_be_in_viewport()
    bar(page).locator("summary").click()
    table(page).get_by_role("button", name="Write notes now").click()
    expect(page.locator(".notes-card")).to_contain_text("Notes stand in for")
    state(questions(page).first, "Summarised")
    table(page).get_by_role("link", name="Settings").click()
    page.get_by_label("Window, in tokens").fill("0")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Back to the thread").last.click()
    expect(page.locator(".state.left_out")).to_have_count(0)


def test_all_of_it_works_without_a_script(small, open_page):
    page = open_page(small.address, java_script_enabled=False)
    page.get_by_label("Your message").fill("hello")
    press_without_script(page, page.get_by_role("button", name="Send"))
    expect(bar(page).locator("summary")).to_be_visible()
    bar(page).locator("summary").click()
    expect(table(page)).to_contain_text("Kept for the answer")
    page.get_by_role("link", name="More").first.or_(page.get_by_label("More").first).first.click()
    press_without_script(page, page.get_by_role("button", name="Mute"))
    state(questions(page).first, "Muted")
    press_without_script(page, page.get_by_role("button", name="Undo"))
    state(questions(page).first, "Sent")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_bar_fits_every_screen_in_each_of_its_states(
    small, open_page, tmp_path, screen, scheme
):
    page = open_page(small.address, viewport=SCREENS[screen], color_scheme=scheme)
    seen = []

    def look(name):
        assert page.evaluate(OVERFLOW) <= 0
        line = bar(page).locator("summary").bounding_box()
        assert line["height"] < 50
        assert line["x"] + line["width"] <= SCREENS[screen]["width"]
        page.screenshot(path=tmp_path / f"{name}-{screen}-{scheme}.png")
        seen.append(name)

    ask_and_wait(page, "hello")
    look("empty")
    fill(page, 2)
    look("half")
    page.get_by_label("Your message").fill("word " * 160)
    expect(bar(page)).to_contain_text("More than 85 %")
    look("full")
    page.get_by_label("Your message").fill("")
    fill(page, 4, begun=2)
    expect(page.locator(".notes-card")).to_be_visible()
    bar(page).locator("summary").click()
    expect(table(page)).to_contain_text("Notes")
    box = table(page).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= SCREENS[screen]["width"]
    assert box["y"] >= 0
    look("notes")
    assert seen == ["empty", "half", "full", "notes"]


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
