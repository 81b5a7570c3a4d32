"""Nobody gets lost: every act on the tree by mouse and by keyboard alone, wide and narrow."""

import re

import pytest
from playwright.sync_api import expect

from e2e.talk import (
    answer_again,
    answers,
    ask,
    ask_and_wait,
    body,
    last_answer,
    press_without_script,
    version,
    wait_for_end,
)

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


@pytest.fixture(params=SCREENS)
def page(request, server, open_page):
    """A thread of two turns."""
    page = open_page(server.address, viewport=SCREENS[request.param])
    ask_and_wait(page, "Name a fish")
    ask_and_wait(page, "Name a bird")
    return page


def questions(page):
    return page.locator("article.message.user")


def message(page, text):
    return page.locator("article.message").filter(has_text=text).first


def press(page, target, *keys):
    """Keys on a message that has the focus."""
    target.focus()
    for key in keys:
        page.keyboard.press(key)


def choose(page, target, name):
    """By mouse: what is behind the three dots of a message."""
    target.hover()
    target.get_by_label("More").click()
    target.locator(".acts").get_by_role("button", name=name).or_(
        target.locator(".acts").get_by_role("link", name=name)
    ).first.click()


class TestEditing:
    def change(self, page, words):
        field = page.locator(".editing textarea")
        expect(field).to_be_focused()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(words)

    def test_a_question_by_mouse(self, page):
        first = questions(page).first
        first.hover()
        first.get_by_label("Edit this question").click()
        self.change(page, "Name a whale")
        page.get_by_role("button", name="Save and answer").click()
        expect(body(last_answer(page))).to_contain_text("Name a whale")
        wait_for_end(page)
        expect(answers(page)).to_have_count(1)
        expect(questions(page).first.locator(".version")).to_have_text("2/2")
        page.get_by_role("button", name="Undo").click()
        expect(answers(page)).to_have_count(2)
        expect(questions(page).first).to_contain_text("Name a fish")
        expect(questions(page).first.locator(".version")).to_have_count(0)

    def test_a_question_by_keyboard(self, page):
        press(page, questions(page).first, "e")
        self.change(page, "Name a whale")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(body(last_answer(page))).to_contain_text("Name a whale")
        wait_for_end(page)

    def test_an_answer_gets_no_reply(self, page):
        choose(page, answers(page).first, "Edit")
        self.change(page, "A pike.")
        page.get_by_role("button", name="Save as a new version").click()
        expect(answers(page)).to_have_count(1)
        expect(body(last_answer(page))).to_have_text("A pike.")
        expect(page.locator("article.message.live")).to_have_count(0)
        expect(version(page)).to_have_text("2/2")

    def test_escape_gives_up_and_leaves_the_message_as_it_was(self, page):
        press(page, questions(page).first, "e")
        self.change(page, "something else")
        page.keyboard.press("Escape")
        expect(page.locator(".editing")).to_have_count(0)
        expect(questions(page).first).to_contain_text("Name a fish")
        expect(questions(page).first).to_be_focused()


class TestVersions:
    def test_arrow_keys_walk_them_and_the_message_keeps_the_keys(self, page):
        answer_again(page)
        press(page, last_answer(page), "ArrowLeft")
        expect(version(page)).to_have_text("1/2")
        expect(last_answer(page)).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(version(page)).to_have_text("1/2")
        page.keyboard.press("ArrowRight")
        expect(version(page)).to_have_text("2/2")
        page.keyboard.press("ArrowUp")
        expect(questions(page).last).to_be_focused()

    def test_there_is_no_way_around_at_the_ends(self, page):
        answer_again(page)
        following = last_answer(page).get_by_role("button", name="Next version")
        expect(following).to_have_attribute("aria-disabled", "true")
        following.focus()
        page.keyboard.press("Enter")
        expect(version(page)).to_have_text("2/2")

    def test_each_switch_has_an_address_and_back_goes_to_the_branch_before(self, page):
        first = answers(page).first
        first.get_by_role("button", name="Answer again", exact=False).first.click()
        expect(answers(page)).to_have_count(1)
        wait_for_end(page)
        second_id = last_answer(page).get_attribute("id").removeprefix("message-")
        page.get_by_role("button", name="Previous version").click()
        expect(answers(page)).to_have_count(2)
        first_id = answers(page).first.get_attribute("id").removeprefix("message-")
        expect(page).to_have_url(re.compile(rf"\?at={first_id}#message-{first_id}$"))
        page.go_back()
        expect(answers(page)).to_have_count(1)
        expect(page).to_have_url(re.compile(rf"\?at={second_id}"))
        expect(version(page)).to_have_text("2/2")
        page.go_forward()
        expect(answers(page)).to_have_count(2)
        page.reload()
        expect(answers(page)).to_have_count(2)
        expect(page.locator(".visit")).to_have_count(0)

    def test_a_shared_address_opens_that_branch_in_another_tab(self, page, open_page):
        first = answers(page).first.get_attribute("id")
        answers(page).first.get_by_role("button", name="Answer again").click()
        expect(answers(page)).to_have_count(1)
        wait_for_end(page)
        address = page.url.split("?")[0].split("#")[0]
        other = open_page(f"{address}?at={first.removeprefix('message-')}#{first}")
        expect(answers(other)).to_have_count(2)
        expect(other.locator(".visit")).to_be_visible()
        ask_and_wait(other, "asked on the old branch")
        expect(answers(other)).to_have_count(3)
        page.goto(address)
        expect(questions(page).last).to_contain_text("asked on the old branch")

    def test_a_hint_leads_to_later_messages_on_another_version(self, page):
        answers(page).first.get_by_role("button", name="Answer again").click()
        expect(answers(page)).to_have_count(1)
        wait_for_end(page)
        page.get_by_role("link", name="2 messages continue on version 1").click()
        expect(answers(page)).to_have_count(2)
        expect(answers(page).first.locator(".version")).to_have_text("1/2")

    def test_three_more_are_written_one_after_another(self, page):
        choose(page, last_answer(page), "3 new versions")
        expect(version(page)).to_have_text("2/4")
        wait_for_end(page)
        for place in ("3/4", "4/4"):
            page.get_by_role("button", name="Next version").last.click()
            expect(version(page)).to_have_text(place)
            wait_for_end(page)
            expect(body(last_answer(page))).to_contain_text("Name a bird")

    def test_stopping_one_of_several_leaves_one(self, page):
        ask(page, "/hold the tide goes")
        expect(body(last_answer(page))).to_contain_text("the tide goes")
        page.keyboard.press("Escape")
        expect(last_answer(page)).to_contain_text("Stopped.")
        choose(page, last_answer(page), "4 new versions")
        expect(version(page)).to_have_text("2/5")
        expect(body(last_answer(page))).to_contain_text("the tide goes")
        page.keyboard.press("Escape")
        expect(last_answer(page)).to_contain_text("Stopped.")
        expect(version(page)).to_have_text("2/2")


class TestDeleting:
    def test_by_mouse_it_says_how_many_go_and_undo_brings_them_back(self, page):
        choose(page, answers(page).first, "Delete")
        expect(page.locator(".asking")).to_contain_text("3 messages")
        page.get_by_role("button", name="Delete 3 messages").click()
        expect(questions(page)).to_have_count(1)
        expect(answers(page)).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(answers(page)).to_have_count(2)

    def test_by_keyboard(self, page):
        press(page, last_answer(page), "d")
        expect(page.locator(".asking [data-first]")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".asking")).to_have_count(0)
        press(page, last_answer(page), "d")
        expect(page.locator(".asking [data-first]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(answers(page)).to_have_count(1)

    def test_only_one_version(self, page):
        answer_again(page)
        press(page, last_answer(page), "d")
        page.get_by_role("button", name="Delete only version 2").click()
        expect(last_answer(page).locator(".version")).to_have_count(0)
        expect(answers(page)).to_have_count(2)

    def test_a_question_from_a_tab_that_did_not_see_it_is_refused_and_kept(self, page, open_page):
        other = open_page(page.url, allow=("404",))
        press(page, questions(page).last, "d")
        expect(page.locator(".asking [data-first]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(answers(page)).to_have_count(1)
        ask(other, "too late")
        expect(other.locator("#notices")).to_contain_text("no longer there")
        expect(other.get_by_label("Your message")).to_have_value("too late")


class TestContinuing:
    def stop(self, page):
        ask(page, "/hold the tide goes")
        expect(body(last_answer(page))).to_contain_text("the tide goes")
        page.keyboard.press("Escape")
        expect(last_answer(page)).to_contain_text("Stopped.")

    def test_as_a_new_version_the_old_one_stays(self, page):
        self.stop(page)
        last_answer(page).get_by_role("button", name="Continue", exact=True).click()
        expect(version(page)).to_have_text("2/2")
        wait_for_end(page)
        expect(body(last_answer(page))).to_contain_text("the tide goes")
        expect(body(last_answer(page))).to_contain_text("Your answer was cut off")
        page.get_by_role("button", name="Previous version").click()
        expect(last_answer(page)).to_contain_text("Stopped.")

    def test_in_place_the_same_message_grows(self, page):
        self.stop(page)
        last_answer(page).get_by_role("button", name="Continue in place").click()
        expect(body(last_answer(page))).to_contain_text("Your answer was cut off")
        wait_for_end(page)
        expect(last_answer(page).locator(".version")).to_have_count(0)
        expect(body(last_answer(page))).to_contain_text("the tide goes")


class TestBranches:
    def test_a_named_branch_is_listed_under_its_thread_and_leads_there(self, page):
        press(page, answers(page).first, "n")
        expect(page.get_by_label("Name", exact=True)).to_be_focused()
        page.keyboard.type("Fish first")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect(answers(page).first.locator(".branch-name")).to_have_text("Fish first")
        answers(page).first.get_by_role("button", name="Answer again").click()
        expect(answers(page)).to_have_count(1)
        wait_for_end(page)
        if page.viewport_size["width"] < 700:
            page.get_by_role("button", name="Threads").click()
        page.get_by_role("link", name="Fish first").first.click()  # the newest thread is first
        expect(answers(page)).to_have_count(2)

    def test_a_fork_is_a_new_thread_that_goes_its_own_way(self, page):
        before = page.url.split("#")[0]
        press(page, answers(page).first, "f")
        expect(page).not_to_have_url(re.compile(re.escape(before)))
        wait_for_end(page)
        ask_and_wait(page, "only in the fork")
        page.goto(before)
        expect(questions(page)).to_have_count(2)
        expect(page.get_by_text("only in the fork")).to_have_count(0)

    def test_versions_are_compared_word_by_word(self, page):
        press(page, questions(page).first, "e")
        expect(page.locator(".editing textarea")).to_be_focused()
        page.locator(".editing textarea").fill("Name a whale")
        page.get_by_role("button", name="Save and answer").click()
        expect(questions(page).first.locator(".version")).to_have_text("2/2")
        wait_for_end(page)
        press(page, questions(page).first, "v")
        expect(page.locator("del").last).to_have_text("fish")
        expect(page.locator("ins").last).to_have_text("whale")
        page.get_by_role("button", name="Show this one").first.click()
        expect(questions(page).first).to_contain_text("Name a fish")
        expect(answers(page)).to_have_count(2)


class TestKeys:
    def test_a_sheet_lists_them_and_typing_is_left_alone(self, page):
        box = page.get_by_label("Your message")
        box.press_sequentially("m? e")
        expect(box).to_have_value("m? e")
        box.fill("")
        box.press("Escape")
        expect(last_answer(page)).to_be_focused()
        page.keyboard.press("?")
        expect(page.get_by_role("heading", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("heading", name="Keys")).to_be_hidden()
        page.keyboard.press("/")
        expect(box).to_be_focused()

    def test_what_can_be_done_opens_and_closes_by_keyboard(self, page):
        press(page, last_answer(page), "o")
        panel = last_answer(page).locator(".acts")
        expect(panel.get_by_role("button").first).to_be_focused()
        page.keyboard.press("Escape")
        expect(panel).to_be_empty()
        expect(last_answer(page).get_by_label("More")).to_be_focused()


def test_the_map_is_walked_by_arrow_keys_and_enter_goes_there(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "Name a fish")
    ask_and_wait(page, "Name a bird")
    answers(page).first.get_by_role("button", name="Answer again").click()
    expect(answers(page)).to_have_count(1)
    wait_for_end(page)
    page.get_by_label("Your message").press("Escape")
    page.keyboard.press("m")
    here = page.locator(".spot.here")
    expect(here).to_be_focused()
    expect(here).to_have_attribute("aria-label", re.compile("version 2 of 2, you are here"))
    page.keyboard.press("ArrowRight")
    expect(here).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".spot:focus")).to_have_attribute(
        "aria-label", re.compile("version 1 of 2")
    )
    page.keyboard.press("ArrowDown")
    expect(page.locator(".spot:focus")).to_have_attribute("aria-label", re.compile("Name a bird"))
    page.keyboard.press("Enter")
    expect(answers(page)).to_have_count(2)
    expect(page.locator(".visit")).to_have_count(0)


def test_on_a_phone_an_outline_stands_for_the_map(server, open_page):
    page = open_page(server.address, viewport=SCREENS["phone"])
    ask_and_wait(page, "Name a fish")
    answer_again(page)
    page.get_by_label("Map of the thread").click()
    expect(page.locator("#map")).to_be_hidden()
    expect(page.locator(".step.here")).to_contain_text("version 2/2")
    page.get_by_role("link", name="version 1/2").click()
    expect(version(page)).to_have_text("1/2")


def test_every_act_works_without_a_script(server, open_page):
    page = open_page(server.address, java_script_enabled=False)
    page.get_by_label("Your message").fill("no script here")
    press_without_script(page, page.get_by_role("button", name="Send"))
    page.reload()
    questions(page).first.hover()
    questions(page).first.get_by_label("Edit this question").click()
    page.get_by_label("Your question").fill("still no script")
    press_without_script(page, page.get_by_role("button", name="Save and answer"))
    page.reload()
    expect(body(last_answer(page))).to_contain_text("still no script")
    page.get_by_label("Map of the thread").click()
    page.get_by_role("link", name="no script here, version 1 of 2").click()
    expect(page.get_by_role("button", name="Open the thread here")).to_be_visible()
    questions(page).first.hover()
    questions(page).first.get_by_label("More").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete only version 1").click()
    page.get_by_role("button", name="Undo").click()
    expect(questions(page).first.locator(".version")).to_have_text("2/2")
