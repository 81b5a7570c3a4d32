"""The composer: keys, drafts, and text that is never lost."""

from playwright.sync_api import expect

from e2e.talk import answers, ask_and_wait, wait_for_end


def box(page):
    return page.get_by_label("Your message")


def test_enter_sends_and_shift_enter_breaks_the_line(server, open_page):
    page = open_page(server.address)
    box(page).press_sequentially("one")
    box(page).press("Shift+Enter")
    box(page).press_sequentially("two")
    expect(box(page)).to_have_value("one\ntwo")
    box(page).press("Enter")
    wait_for_end(page)
    expect(page.locator("article.message.user .body")).to_have_text("one\ntwo")


def test_enter_that_ends_an_input_method_composition_sends_nothing(server, open_page):
    page = open_page(server.address)
    box(page).fill("かんじ")
    box(page).evaluate(
        "box => box.dispatchEvent(new KeyboardEvent('keydown',"
        "{key: 'Enter', keyCode: 229, isComposing: true, bubbles: true, cancelable: true}))"
    )
    expect(box(page)).to_have_value("かんじ")
    expect(answers(page)).to_have_count(0)


def test_white_space_alone_is_not_sent(server, open_page):
    page = open_page(server.address)
    box(page).fill("   \n ")
    box(page).press("Enter")
    expect(answers(page)).to_have_count(0)
    assert page.url.rstrip("/") == server.address


def test_a_draft_survives_a_reload_and_is_cleared_by_sending(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    box(page).fill("half a thought")
    page.reload()
    expect(box(page)).to_have_value("half a thought")
    box(page).press("Enter")
    wait_for_end(page)
    expect(box(page)).to_have_value("")
    page.reload()
    expect(box(page)).to_have_value("")


def test_a_text_that_is_too_long_is_refused_and_stays_in_the_composer(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    box(page).evaluate("box => { box.value = ('word '.repeat(200) + '\\n').repeat(500); }")
    box(page).press("Enter")
    expect(page.locator("#notices")).to_contain_text("400,000")
    assert box(page).evaluate("box => box.value.length") == 500_500
    expect(answers(page)).to_have_count(1)


def test_text_typed_while_the_server_is_gone_is_kept(server, open_page):
    page = open_page(server.address, allow=("ERR_CONNECTION", "Failed to load", "fetch", "htmx:"))
    ask_and_wait(page, "hello")
    server.kill()
    box(page).fill("do not lose me")
    box(page).press("Enter")
    expect(page.locator("#notices")).not_to_be_empty()
    expect(box(page)).to_have_value("do not lose me")
    server.start()
    box(page).press("Enter")
    expect(answers(page)).to_have_count(2)
    wait_for_end(page)


def test_typing_goes_on_while_an_answer_streams(server, open_page):
    page = open_page(server.address)
    box(page).fill("/slow /long")
    box(page).press("Enter")
    expect(answers(page)).to_have_count(1)
    box(page).press_sequentially("next question")
    expect(box(page)).to_have_value("next question")
    page.keyboard.press("Escape")
    wait_for_end(page)
    expect(box(page)).to_have_value("next question")
