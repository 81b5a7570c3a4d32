"""Two people on two devices: what is private stays private, what is shared streams to both."""

import re
import threading

from playwright.sync_api import expect


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


def test_private_stays_private_and_shared_streams_to_both(start_server, open_page):
    server = start_server("--lan")
    for line in ("join first", "access code", "Without TLS"):
        wait_for_line(server, line)
    own, lasting = codes(server)
    missing = ("404",)
    ada = come_in(open_page, server, "Ada", own)
    phone = {"viewport": {"width": 390, "height": 800}}
    ben = come_in(open_page, server, "Ben", lasting, allow=missing, **phone)
    ada.get_by_role("textbox").first.fill("Why do tides turn?")
    ada.keyboard.press("Enter")
    ada.wait_for_url("**/threads/*")
    thread = ada.url.split("#")[0]
    expect(ada.locator("article.message.assistant .body")).to_contain_text("scripted answer")
    ben.goto(thread)
    expect(ben.get_by_role("heading", name="There is no such thread.")).to_be_visible()
    expect(ben.get_by_text("Why do tides turn?")).to_have_count(0)
    ada.goto(f"{thread}/sharing")
    ada.get_by_label("Ben").select_option("read")
    ada.get_by_role("button", name="Save").click()
    expect(ada.get_by_text("Saved.")).to_be_visible()
    ada.goto(thread)
    ada.get_by_role("textbox").first.fill("/slow And the moon?")
    ada.keyboard.press("Enter")
    ben.goto(thread)
    for page in (ada, ben):
        expect(page.locator("article.message.assistant .body").last).to_contain_text(
            "And the moon?"
        )
    expect(ben.get_by_text("Ada shared this with you to read.")).to_be_visible()


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
