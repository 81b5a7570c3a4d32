"""Versions: nothing is overwritten, and the one shown is remembered."""

from playwright.sync_api import expect

from e2e.talk import answer_again, ask_and_wait, body, last_answer, version


def test_three_versions_are_walked_and_the_one_shown_survives_reload_and_restart(server, open_page):
    page = open_page(server.address, allow=("WebSocket",))
    ask_and_wait(page, "Name a fish")
    answer_again(page)
    answer_again(page)
    expect(version(page)).to_have_text("3/3")
    for place in ("2/3", "1/3"):
        page.get_by_role("button", name="Previous version").click()
        expect(version(page)).to_have_text(place)
    page.get_by_role("button", name="Next version").click()
    expect(version(page)).to_have_text("2/3")
    shown = last_answer(page).get_attribute("id")
    page.reload()
    expect(version(page)).to_have_text("2/3")
    server.restart()
    page.reload()
    expect(version(page)).to_have_text("2/3")
    assert last_answer(page).get_attribute("id") == shown


def test_the_keyboard_walks_versions_and_focus_stays_on_the_button(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "Name a fish")
    answer_again(page)
    button = page.get_by_role("button", name="Previous version")
    button.focus()
    page.keyboard.press("Enter")
    expect(version(page)).to_have_text("1/2")
    expect(button).to_be_focused()
    page.get_by_role("button", name="Next version").focus()
    page.keyboard.press("Enter")
    expect(version(page)).to_have_text("2/2")


def test_switching_swaps_the_path_and_its_controls_together(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "first question")
    answer_again(page)
    ask_and_wait(page, "follow-up on version two")
    first = page.locator("article.message.assistant").first
    first.get_by_role("button", name="Previous version").click()
    expect(page.get_by_text("follow-up on version two").first).to_be_hidden()
    expect(version(page)).to_have_text("1/2")
    ask_and_wait(page, "follow-up on version one")
    first.get_by_role("button", name="Next version").click()
    expect(page.locator("article.message.user").last).to_contain_text("version two")
    expect(body(last_answer(page))).to_contain_text("version two")


def test_a_failed_regenerate_leaves_the_good_answer_shown(start_server, open_page):
    server = start_server()
    page = open_page(server.address)
    ask_and_wait(page, "/empty")
    expect(last_answer(page)).to_contain_text("empty answer")
