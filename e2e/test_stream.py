"""What a reader does while an answer is being written is not undone by the next words."""

from playwright.sync_api import expect

from e2e.talk import ask, body, last_answer, wait_for_end

THINKING = "/slow /echo <think>\n" + "I consider this and that again. " * 12 + "\n</think>\n\nDone."
CODE = "/slow /echo Look:\n\n```python\n" + "value = 1  # a line of code\n" * 12 + "```\n\nDone."


def test_thinking_that_was_unfolded_stays_so_while_it_grows_and_when_it_ends(server, open_page):
    page = open_page(server.address)
    ask(page, THINKING)
    thinking = body(last_answer(page)).locator("details.thinking")
    thinking.locator("summary").click()
    expect(thinking.locator(".thought")).to_contain_text("again. I consider this and that again. I")
    expect(thinking).to_have_attribute("open", "")
    wait_for_end(page)
    expect(thinking).to_have_attribute("open", "")
    expect(body(last_answer(page))).to_contain_text("Done.")
    assert thinking.locator(".thought").inner_text().count("consider") == 12


def test_code_is_shown_as_code_from_its_first_line_and_a_selection_in_it_is_kept(server, open_page):
    page = open_page(server.address)
    ask(page, CODE)
    code = body(last_answer(page)).locator("pre code")
    expect(code).to_contain_text("value = 1")
    expect(body(last_answer(page)).locator(".code-name")).to_have_text("Python")
    code.evaluate("code => getSelection().setBaseAndExtent(code.firstChild, 0, code.firstChild, 5)")
    expect(code).to_contain_text(" ".join(["value = 1 # a line of code"] * 8))
    assert page.evaluate("getSelection().toString()") == "value"
    wait_for_end(page)
    assert code.inner_text().count("value = 1") == 12
    expect(code.locator(".hl-c1").first).to_be_visible()


def test_a_dropped_connection_is_taken_up_again_without_loss_or_doubling(server, open_page):
    page = open_page(server.address, allow=("WebSocket",))
    page.add_init_script(
        "const Real = WebSocket; window.sockets = [];"
        "window.WebSocket = class extends Real {"
        "  constructor(address) { super(address); sockets.push(this); } };"
    )
    page.reload()
    ask(page, "/slow /echo " + "\n\n".join(f"Paragraph {number} of this." for number in range(12)))
    expect(body(last_answer(page))).to_contain_text("Paragraph 3")
    page.evaluate("sockets.at(-1).close()")
    expect(body(last_answer(page))).to_contain_text("Paragraph 6")
    page.evaluate("sockets.at(-1).close()")
    wait_for_end(page)
    assert page.evaluate("sockets.length") == 3
    words = body(last_answer(page)).inner_text().split("\n\n")
    assert words == [f"Paragraph {number} of this." for number in range(12)]


PARAGRAPHS = [f"Paragraph {number} of this." for number in range(60)]


def told(page):
    return body(last_answer(page)).inner_text().split("\n\n")


def test_an_answer_goes_on_when_its_tab_is_closed_and_another_device_picks_it_up(server, open_page):
    first = open_page(server.address)
    ask(first, "/slow /echo " + "\n\n".join(PARAGRAPHS[:24]))
    expect(body(last_answer(first))).to_contain_text("Paragraph 2")
    address = first.url
    first.context.close()
    second = open_page(address)
    expect(body(last_answer(second))).to_contain_text("Paragraph 8")
    wait_for_end(second)
    assert told(second) == PARAGRAPHS[:24]


def test_five_seconds_without_a_network_lose_and_double_nothing(server, open_page, wire):
    page = open_page(wire.address, allow=("WebSocket", "ERR_", "Failed to fetch"))
    ask(page, "/slow /echo " + "\n\n".join(PARAGRAPHS))
    expect(body(last_answer(page))).to_contain_text("Paragraph 3")
    wire.cut()
    expect(page.locator("#status")).to_contain_text("The connection was lost", timeout=5000)
    page.wait_for_timeout(5000)
    assert "Paragraph 20" not in body(last_answer(page)).text_content()
    wire.mend()
    wait_for_end(page)
    assert told(page) == PARAGRAPHS


def test_a_network_that_goes_silent_is_noticed_when_the_browser_is_online_again(
    server, open_page, wire
):
    page = open_page(wire.address, allow=("WebSocket", "ERR_", "Failed to fetch"))
    ask(page, "/slow /echo " + "\n\n".join(PARAGRAPHS[:30]))
    expect(body(last_answer(page))).to_contain_text("Paragraph 3")
    wire.stall()
    page.wait_for_timeout(1000)
    held = told(page)
    wire.forget()
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_for_end(page)
    assert told(page) == PARAGRAPHS[:30]
    assert len(held) < 30
