"""A thread on paper, and words that run from right to left."""

from playwright.sync_api import expect

from e2e.talk import answer_again, ask_and_wait, body, last_answer

ARABIC = "/echo مرحبا، ما هي مدة الإشعار؟\n\n- أولا\n\n> اقتباس\n\n```python\nprint('hi')\n```"
SIDES = "(e, side) => getComputedStyle(e)[side]"


def test_paper_has_the_words_and_none_of_the_buttons(server, open_page):
    page = open_page(server.address, color_scheme="dark", viewport={"width": 1280, "height": 800})
    ask_and_wait(page, "/markdown")
    answer_again(page)
    page.emulate_media(media="print")
    answer = last_answer(page)
    expect(page.locator(".thread-title")).to_be_visible()
    expect(page.locator("article.message.user .author")).to_be_visible()
    expect(body(answer)).to_contain_text("A scripted answer")
    expect(answer.locator(".version")).to_have_text("2/2")
    words = "e => getComputedStyle(e, '::before').content + getComputedStyle(e, '::after').content"
    assert "Version" in answer.locator(".version").evaluate(words)
    assert "example.org" in body(answer).locator("a").first.evaluate(words)
    for button in page.locator("button, summary, .sidebar, .dock, textarea").all():
        expect(button).to_be_hidden()
    ink = page.evaluate("() => getComputedStyle(document.body).color")
    assert sum(int(part) for part in ink.strip("rgb()").split(",")[:3]) < 200  # dark ink on white
    cut_off = "() => document.querySelector('.messages').scrollHeight - document.body.scrollHeight"
    assert page.evaluate(cut_off) <= 0


def test_right_to_left_stands_on_the_right_and_code_does_not(server, open_page):
    for width in (1280, 390):
        page = open_page(server.address, viewport={"width": width, "height": 844})
        ask_and_wait(page, ARABIC)
        told = body(last_answer(page))
        assert told.evaluate("e => getComputedStyle(e).direction") == "rtl"
        quote = told.locator("blockquote")
        assert quote.evaluate(SIDES, "borderRightWidth") == "3px"
        assert quote.evaluate(SIDES, "borderLeftWidth") == "0px"
        points = told.locator("ul")
        assert points.evaluate(SIDES, "paddingRight") != "0px"
        assert points.evaluate(SIDES, "paddingLeft") == "0px"
        assert told.locator("pre").evaluate("e => getComputedStyle(e).direction") == "ltr"
        name, copy = told.locator(".code-name"), told.locator(".copy")
        assert name.bounding_box()["x"] > copy.bounding_box()["x"]
        assert page.evaluate(
            "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
