"""Two people on two devices: what is private stays private, what is shared streams to both."""

import re
import threading

import pytest
from playwright.sync_api import expect

from e2e.talk import answer_again, ask, ask_and_wait, wait_for_end

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}


def codes(server):
    lines = "".join(server._lines)
    return [re.search(rf"{words} (\S+)", lines)[1] for words in ("join first.*code", "access code")]


def come_in(open_page, server, name, code, **options):
    page = open_page(f"{server.address}/join#code={code}", **options)
    expect(page.get_by_label("Code")).to_have_value(code)
    assert "#" not in page.url
    page.get_by_label("Your name").fill(name)
    page.get_by_label("A password").fill("a fine password")
    page.get_by_role("button", name="Join").click()
    expect(page).to_have_url(f"{server.address}/")
    return page


@pytest.fixture
def house(start_server, open_page):
    """Ada, who owns it, and Ben, each in a browser of their own. What is asked for in vain (404)
    or by who is out (401) fails no story."""
    server = start_server("--lan")
    for line in ("join first", "access code", "Without TLS"):
        wait_for_line(server, line)
    own, lasting = codes(server)
    ada = come_in(open_page, server, "Ada", own, viewport=WIDE)
    ben = come_in(open_page, server, "Ben", lasting, allow=("404", "401"), viewport=WIDE)
    return server, ada, ben


def begin(page, text):
    """A thread with a first question that is answered; its address."""
    ask(page, text)
    page.wait_for_url("**/threads/*")
    expect(page.locator("article.message.assistant .body")).to_contain_text("scripted answer")
    wait_for_end(page)
    return page.url.split("#")[0]


def share(page, thread, right):
    page.goto(f"{thread}/sharing")
    page.get_by_label("Ben").select_option(right)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.goto(thread)


def finds(page, server, words):
    """How many threads the search finds."""
    page.goto(f"{server.address}/search?q={words}")
    expect(page.locator("#search-results")).to_be_visible()
    return page.locator("#search-results .hit-group article, #search-results article").count()


def test_private_stays_private_in_lists_in_the_search_and_by_link(house):
    server, ada, ben = house
    thread = begin(ada, "Why do tides turn?")
    assert finds(ada, server, "tides") == 1
    ben.goto(server.address)
    expect(ben.get_by_text("Your threads will be listed here.")).to_be_attached()
    assert finds(ben, server, "tides") == 0
    message = ada.goto(thread) and ada.locator("article.message.user").get_attribute("id")
    for path in ("", "/map", "/files", "/export/file", f"/messages/{message[8:]}/text"):
        answer = ben.request.get(f"{thread}{path}")
        assert answer.status == 404, path
        assert "tides" not in answer.text()
    ben.goto(thread)
    expect(ben.get_by_role("heading", name="There is no such thread.")).to_be_visible()


def test_what_is_shared_streams_to_both_and_is_in_the_lists(house):
    server, ada, ben = house
    thread = begin(ada, "Why do tides turn?")
    share(ada, thread, "read")
    ben.goto(server.address)
    ben.get_by_role("link", name="Why do tides turn?").click()
    assert finds(ben, server, "tides") == 1
    ben.goto(thread)
    ask(ada, f"/slow /echo And the moon? {'word ' * 200}")
    for page in (ada, ben):
        expect(page.locator("article.message.live .body")).to_contain_text("word word")
    asked = ben.locator("article.message.user").last
    expect(asked).to_contain_text("And the moon?")
    expect(asked.locator(".author")).to_have_text("Ada")
    expect(ada.locator("article.message.user .author").last).to_be_hidden()
    for page in (ada, ben):
        expect(page.locator("article.message.live")).to_have_count(0)
    expect(ben.locator("article.message")).to_have_count(4)


@pytest.mark.parametrize(("scheme", "size"), [("light", WIDE), ("dark", NARROW)])
def test_who_may_only_read_is_shown_no_act_and_no_key_does_one(house, scheme, size):
    _, ada, ben = house
    thread = begin(ada, "Why do tides turn?")
    answer_again(ada)
    share(ada, thread, "read")
    ben.set_viewport_size(size)
    ben.emulate_media(color_scheme=scheme)
    ben.goto(thread)
    expect(ben.get_by_text("Ada shared this with you to read.")).to_be_visible()
    answer = ben.locator("article.message.assistant")
    changing = []
    ben.on("request", lambda each: each.method != "GET" and changing.append(each.url))
    for key in "erdnpx/":
        answer.focus()
        ben.keyboard.press(key)
    expect(ben.locator(".editing, .asking, #text, #stop")).to_have_count(0)
    answer.focus()
    ben.keyboard.press("o")
    acts = ben.get_by_role("group", name="What to do with this message")
    expect(acts.get_by_role("link", name="Compare versions")).to_be_visible()
    names = acts.locator("a, button").all_text_contents()
    assert [each.strip() for each in names] == [
        "Compare versions",
        "Fork from here",
        "Link to here",
    ]
    answer.focus()
    ben.keyboard.press("ArrowLeft")
    expect(answer.locator(".version")).to_have_text("1/2")
    ben.get_by_label("This thread").click()
    expect(ben.get_by_role("button", name="Rename")).to_have_count(0)
    expect(ben.get_by_role("button", name="Move to the trash")).to_have_count(0)
    assert changing == []
    ada.reload()
    expect(ada.locator(".version")).to_have_text("2/2")


def test_an_answer_to_who_may_write_appears_at_the_owners(house):
    _, ada, ben = house
    thread = begin(ada, "Why do tides turn?")
    share(ada, thread, "write")
    ada.get_by_label("Your message").fill("A draft of mine")
    ben.goto(thread)
    ask_and_wait(ben, "And the moon?")
    asked = ada.locator("article.message.user").last
    expect(asked).to_contain_text("And the moon?")
    expect(asked.locator(".author")).to_have_text("Ben")
    expect(ada.locator("article.message.assistant .body").last).to_contain_text("And the moon?")
    expect(ada.get_by_label("Your message")).to_have_value("A draft of mine")
    ask_and_wait(ada, "Then the sun.")
    expect(ben.locator("article.message.user").last).to_contain_text("Then the sun.")
    for page in (ada, ben):
        expect(page.locator("article.message")).to_have_count(6)
    ben.get_by_label("This thread").click()
    expect(ben.get_by_role("button", name="Rename")).to_be_visible()
    expect(ben.get_by_role("button", name="Move to the trash")).to_have_count(0)
    expect(ben.get_by_role("link", name="Share")).to_have_count(0)


def test_a_share_that_is_taken_back_ends_the_open_page_in_the_middle_of_an_answer(house):
    server, ada, ben = house
    thread = begin(ada, "Why do tides turn?")
    share(ada, thread, "read")
    ben.goto(thread)
    ask(ada, "/hold And the moon?")
    expect(ben.locator("article.message.live")).to_be_visible()
    share(ada, thread, "")
    expect(ben.get_by_text("This thread is not shared with you any more")).to_be_visible()
    for words in ("And the moon?", "Why do tides turn?"):
        expect(ben.get_by_text(words)).to_have_count(0)
    expect(ben).to_have_title("Strata")
    ben.get_by_role("link", name="Go to the start page").click()
    expect(ben).to_have_url(f"{server.address}/")
    ada.get_by_role("button", name="Stop the answer").click()


def test_who_is_removed_while_signed_in_is_out(house):
    server, ada, ben = house
    thread = begin(ada, "Why do tides turn?")
    share(ada, thread, "write")
    ben.goto(thread)
    ada.goto(f"{server.address}/share")
    ada.get_by_role("link", name="Remove Ben").click()
    ada.get_by_role("button", name="Remove").click()
    expect(ben.get_by_text("You are signed out.")).to_be_visible()
    expect(ben.get_by_text("Why do tides turn?")).to_have_count(0)
    ben.goto(thread)
    expect(ben).to_have_url(re.compile("/login"))
    expect(ben.get_by_text("Why do tides turn?")).to_have_count(0)


def wait_for_line(server, words):
    pause = threading.Event()
    for _ in range(1000):
        if words in "".join(server._lines):
            return
        pause.wait(0.01)
    raise AssertionError(f"the server never said “{words}”")


def test_who_sends_too_many_files_is_told_once_which_stayed_out(start_server, open_page, tmp_path):
    server = start_server("--lan")
    wait_for_line(server, "access code")
    ada = come_in(open_page, server, "Ada", codes(server)[0], allow=("429",))
    names = [f"{number}.txt" for number in range(33)]
    for name in names:
        (tmp_path / name).write_text(f"The words of {name}.")
    ada.locator("#attach-files").set_input_files([tmp_path / name for name in names])
    ada.wait_for_url("**/threads/*")
    told = ada.locator("#notices")
    expect(told).to_contain_text("“30.txt” and 2 other files were not attached.")
    expect(told).to_contain_text("Try again in")
    expect(told.get_by_text("more uploads than one person may send")).to_have_count(1)
    expect(ada.locator("#file-chips")).to_contain_text("29.txt")
