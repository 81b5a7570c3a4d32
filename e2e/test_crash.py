"""A power cut in mid-answer loses nothing that was shown as saved."""

import pytest
from playwright.sync_api import expect

from e2e.talk import ask, ask_and_wait, body, last_answer, wait_for_end

# What a browser notes of itself while a server is away.
GONE = ("WebSocket", "ERR_CONNECTION", "Failed to load", "htmx:")


@pytest.fixture
def server(start_server):
    """Of its own: it is to be killed."""
    return start_server()


def test_kill_nine_in_mid_answer_leaves_question_and_partial_answer_marked_stopped(
    server, open_page
):
    page = open_page(server.address, allow=GONE)
    ask(page, "/slow /long please")
    expect(body(last_answer(page))).to_contain_text("Line 12 of")
    server.restart()
    page.reload()
    expect(page.locator("article.message.user")).to_contain_text("please")
    expect(body(last_answer(page))).to_contain_text("Line 5 of")
    expect(last_answer(page)).to_contain_text("Stopped. The text so far is kept.")
    ask_and_wait(page, "next")
    expect(body(last_answer(page))).to_contain_text("next")


def test_a_page_left_open_over_a_restart_finds_its_answer_again(server, open_page):
    page = open_page(server.address, allow=GONE)
    ask(page, "/slow /long please")
    expect(body(last_answer(page))).to_contain_text("Line 12 of")
    server.restart()
    wait_for_end(page)
    expect(last_answer(page)).to_contain_text("Stopped.")


def test_a_signal_ends_the_server_within_five_seconds_and_keeps_the_words(server, open_page):
    page = open_page(server.address, allow=GONE)
    ask(page, "/hold keep this")
    expect(body(last_answer(page))).to_contain_text("keep this")
    server.process.terminate()
    assert server.process.wait(timeout=5) == 0
    server.start()
    page.reload()
    expect(body(last_answer(page))).to_contain_text("keep this")
    expect(last_answer(page)).to_contain_text("Stopped.")
