"""A first conversation: ask, read, stop, come back."""

from playwright.sync_api import expect

from e2e.talk import answers, ask, ask_and_wait, body, last_answer, wait_for_end


def test_a_first_question_becomes_a_thread_with_a_streamed_answer(server, open_page):
    page = open_page(server.address)
    ask(page, "Where is the lighthouse?")
    expect(page).to_have_title("Where is the lighthouse? – Strata")
    wait_for_end(page)
    expect(body(last_answer(page))).to_contain_text("You asked: Where is the lighthouse?")
    expect(page.get_by_role("link", name="Where is the lighthouse?")).to_be_visible()
    ask_and_wait(page, "And the harbour?")
    expect(answers(page)).to_have_count(2)
    page.reload()
    expect(answers(page)).to_have_count(2)


def test_markdown_is_laid_out_while_it_streams_and_stays_the_same_at_the_end(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "/slow /markdown")
    streamed = body(last_answer(page)).inner_html()
    for part in ("h2", "table", "pre code", "blockquote", "ol > li"):
        expect(body(last_answer(page)).locator(part).first).to_be_visible()
    page.reload()
    plain = body(last_answer(page))
    assert "".join(plain.inner_text().split()) == "".join(
        page.evaluate(
            "html => { const d = new DOMParser().parseFromString(html, 'text/html');"
            "document.body.append(d.body.firstElementChild ? Object.assign("
            "document.createElement('div'), {id: 'probe', innerHTML: html}) : '');"
            "const text = document.getElementById('probe').innerText;"
            "document.getElementById('probe').remove(); return text; }",
            streamed,
        ).split()
    )


def test_stopping_by_escape_keeps_the_words_and_asking_on_works(server, open_page):
    page = open_page(server.address)
    ask(page, "/hold tell me a story")
    expect(body(last_answer(page))).to_contain_text("You asked")
    page.keyboard.press("Escape")
    expect(last_answer(page)).to_contain_text("Stopped. The text so far is kept.")
    expect(body(last_answer(page))).to_contain_text("tell me a story")
    ask_and_wait(page, "go on")
    expect(body(last_answer(page))).to_contain_text("go on")


def test_the_stop_button_stops_an_answer_that_is_still_reading(server, open_page):
    page = open_page(server.address)
    ask(page, "/wait here")
    page.get_by_role("button", name="Stop the answer").click()
    expect(last_answer(page)).to_contain_text("Stopped.")


def test_a_reload_in_mid_answer_shows_the_text_so_far_and_goes_on(server, open_page):
    page = open_page(server.address)
    ask(page, "/slow /long")
    expect(body(last_answer(page))).to_contain_text("Line 3 of")
    page.reload()
    expect(body(last_answer(page))).to_contain_text("Line 3 of")
    expect(body(last_answer(page))).to_contain_text("Line 12 of")
    text = body(last_answer(page)).inner_text()
    assert text.count("Line 3 of") == 1
    page.keyboard.press("Escape")
    wait_for_end(page)


def test_two_tabs_show_the_same_answer_and_one_stops_it_for_both(server, open_page):
    left = open_page(server.address)
    ask(left, "/slow /long")
    expect(body(last_answer(left))).to_contain_text("Line 2 of")
    right = open_page(left.url)
    expect(body(last_answer(right))).to_contain_text("Line 6 of")
    right.get_by_role("button", name="Stop the answer").click()
    for page in (left, right):
        expect(last_answer(page)).to_contain_text("Stopped.")
    assert body(last_answer(left)).inner_text() == body(last_answer(right)).inner_text()


def test_a_second_tab_that_sends_meanwhile_is_told_and_keeps_its_text(server, open_page):
    left = open_page(server.address)
    ask(left, "/hold one")
    expect(body(last_answer(left))).to_contain_text("You asked")
    right = open_page(left.url, allow=("409",))
    ask(right, "two")
    expect(right.locator("#notices")).to_contain_text("still being written")
    expect(right.get_by_label("Your message")).to_have_value("two")
    left.keyboard.press("Escape")
    wait_for_end(left)
    right.get_by_label("Your message").press("Enter")
    expect(answers(right)).to_have_count(2)
    wait_for_end(right)


def test_a_failure_in_mid_answer_is_told_the_words_stay_and_trying_again_is_one_click(
    server, open_page
):
    page = open_page(server.address)
    ask_and_wait(page, "/fail please")
    expect(last_answer(page)).to_contain_text("The scripted model failed")
    expect(body(last_answer(page))).to_contain_text("please")
    expect(last_answer(page).get_by_role("button", name="Try again")).to_be_visible()


def test_a_reader_who_scrolled_up_stays_where_they_are(server, open_page):
    page = open_page(server.address, viewport={"width": 900, "height": 500})
    ask(page, "/slow /long")
    expect(body(last_answer(page))).to_contain_text("Line 14 of")
    box = page.locator("#conversation")
    at_end = "box => box.scrollHeight - box.scrollTop - box.clientHeight"
    assert box.evaluate(at_end) < 60
    box.hover()
    page.mouse.wheel(0, -400)
    expect(page.get_by_role("button", name="New text")).to_be_visible()
    place = box.evaluate("box => box.scrollTop")
    expect(body(last_answer(page))).to_contain_text("Line 20 of")
    assert abs(box.evaluate("box => box.scrollTop") - place) < 5
    page.get_by_role("button", name="New text").click()
    expect(page.get_by_role("button", name="New text")).to_be_hidden()
    page.keyboard.press("Escape")
    wait_for_end(page)
