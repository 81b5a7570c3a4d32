"""A thread's recent changes: taken back one by one, looked at as it was; and the trash emptied."""

from playwright.sync_api import expect

from e2e.talk import answer_again, ask_and_wait, body, last_answer, version


def open_changes(page):
    # A rename closes the menu when it is stored; a click before that would close it, not open it.
    expect(page.locator("details.thread-menu[open]")).to_have_count(0)
    page.get_by_label("This thread").click()
    page.get_by_role("link", name="Recent changes").click()
    expect(page.get_by_role("heading", name="Recent changes")).to_be_visible()


def row(page, what):
    return page.locator(".change").filter(has=page.get_by_text(what, exact=True))


def test_a_name_and_a_switch_are_taken_back_after_a_restart_too(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "old name")
    answer_again(page)
    last_answer(page).get_by_role("button", name="Previous version").click()
    expect(version(page)).to_have_text("1/2")
    page.get_by_label("This thread").click()
    page.get_by_label("Title").fill("New name")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="New name")).to_be_visible()
    server.restart()
    page.reload()
    open_changes(page)
    row(page, "Renamed to “New name”").get_by_role("button").click()
    expect(page.get_by_role("heading", name="old name")).to_be_visible()
    row(page, "Switched to version 1 of 2").get_by_role("button").click()
    expect(page.get_by_text("Undone: switched to version 1 of 2.")).to_be_visible()
    page.get_by_role("link", name="Go to the conversation").click()
    expect(version(page)).to_have_text("2/2")


def test_an_undo_that_cannot_be_is_said_and_the_list_stays(server, open_page):
    page = open_page(server.address, allow=("409",))
    ask_and_wait(page, "old name")
    page.get_by_label("This thread").click()
    page.get_by_label("Title").fill("New name")
    page.get_by_role("button", name="Rename").click()
    open_changes(page)
    row(page, "Renamed to “New name”").get_by_role("button").click()
    expect(page.get_by_text("Undone: renamed")).to_be_visible()
    row(page, "Renamed to “New name”").get_by_role("button").click()
    expect(page.get_by_role("alert")).to_contain_text("back already")
    expect(row(page, "Renamed to “New name”")).to_be_visible()


def test_deleted_words_are_read_as_they_were(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "keep me")
    last_answer(page).focus()
    page.keyboard.press("d")
    page.get_by_role("button", name="Delete this message").click()
    expect(last_answer(page)).to_have_count(0)
    open_changes(page)
    row(page, "Deleted 1 message").get_by_role("link").click()
    expect(page.get_by_text("It can only be read.")).to_be_visible()
    expect(body(last_answer(page))).to_contain_text("keep me")
    page.get_by_role("link", name="Back to now").click()
    expect(page.get_by_label("Your message")).to_be_visible()
    expect(last_answer(page)).to_have_count(0)


def test_the_trash_is_emptied_after_a_question_without_script(server, open_page):
    page = open_page(server.address, java_script_enabled=False)
    page.get_by_label("Your message").fill("gone for good")
    page.get_by_role("button", name="Send").click()
    page.get_by_label("This thread").click()
    page.get_by_role("button", name="Move to the trash").click()
    page.get_by_role("link", name="Trash", exact=True).click()
    expect(page.get_by_text("30 days left")).to_be_visible()
    page.get_by_role("link", name="Empty the trash").click()
    expect(page.get_by_text("1 thread goes for good")).to_be_visible()
    page.get_by_role("button", name="Delete it for good").click()
    expect(page.get_by_text("1 thread was deleted for good.")).to_be_visible()
