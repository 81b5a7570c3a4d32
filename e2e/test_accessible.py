"""Every page that a link leads to, as axe-core sees it: wide and narrow, light and dark, with all
that folds closed and open."""

import re
from urllib.parse import urljoin, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from e2e.talk import answer_again, ask_and_wait
from e2e.test_people import codes, come_in, share, wait_for_line

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
CLOSED = {"light": WIDE, "dark": NARROW}
OPEN = {"light": NARROW, "dark": WIDE}
UNFOLD = "() => document.querySelectorAll('details').forEach(each => { each.open = true; })"
AXE = Axe()
CONTRACT = b"# Lease\n\nThe notice period is ninety days.\n\n## Deposit\n\nIt is 400 euro.\n"


def shape(address):
    """The path with ids left out: one page of each kind is looked at."""
    path = urlsplit(address).path
    return re.sub(r"/(?=[^/]*\d)[^/]{6,}", "/*", path)


def links(page):
    found = page.locator("a[href]:not([download])").evaluate_all(
        "links => links.map(each => each.getAttribute('href'))"
    )
    return [urljoin(page.url, each).partition("#")[0] for each in found if not each.startswith("#")]


def violations(page):
    found = AXE.run(page).response["violations"]
    return [
        f"{each['id']}: {each['help']}: {node['html'][:160]} {node['any'][:1]}"
        for each in found
        for node in each["nodes"]
    ]


@pytest.fixture
def house(start_server, open_page):
    """A Strata with something on every page."""
    server = start_server()
    page = open_page(server.address)
    ask_and_wait(page, "hello")
    page.goto(server.address)
    ask_and_wait(page, "/markdown")
    answer_again(page)
    page.locator("input[type=file]").first.set_input_files(
        {"name": "lease.md", "mimeType": "text/markdown", "buffer": CONTRACT}
    )
    expect(page.get_by_text("lease.md").first).to_be_visible()
    ask_and_wait(page, "What is the notice period?")
    for key in ("p", "Escape"):
        page.locator("article.message.user").last.focus()
        page.keyboard.press(key)
    page.goto(f"{server.address}/projects")
    page.get_by_label("Name").first.fill("Moving house")
    page.get_by_role("button", name=re.compile("Make|Create|Add")).first.click()
    return server, page


def test_axe_finds_nothing_on_any_page(house):
    server, page = house
    page.goto(server.address)
    seen, faults = crawled(server, page, [server.address + "/", *links(page)])
    assert len(seen) > 25, sorted(seen)
    assert not faults, "\n".join(faults)


def test_axe_finds_nothing_on_the_pages_of_those_who_share(start_server, open_page):
    server = start_server("--lan")
    wait_for_line(server, "access code")
    own, lasting = codes(server)
    ada = come_in(open_page, server, "Ada", own, allow=("404",))
    ask_and_wait(ada, "Why do tides turn?")
    answer_again(ada)
    thread = ada.url.split("#")[0]
    ben = come_in(open_page, server, "Ben", lasting)
    share(ada, thread, "read")
    starts = [thread, f"{thread}/map", f"{thread}/assistant", f"{thread}/files"]
    _, of_reader = crawled(server, ben, starts, go_on=False)
    seen, faults = crawled(server, ada, [server.address + "/", *links(ada)])
    assert {"/account", "/share", "/threads/*/sharing"} <= seen
    stranger = open_page(f"{server.address}/login")
    _, more = crawled(server, stranger, [f"{server.address}/login", f"{server.address}/join"])
    faults += more + of_reader
    assert not faults, "\n".join(faults)


def crawled(server, page, waiting, *, go_on=True):
    """The kinds of page that were seen, beginning at `waiting`, and what axe says of them. Not to
    go on is to look at these alone."""
    seen, faults = set(), []
    while waiting:
        address = waiting.pop(0)
        if shape(address) in seen or not address.startswith(server.address):
            continue
        seen.add(shape(address))
        if "html" not in page.request.get(address).headers.get("content-type", ""):
            continue
        page.goto(address)
        waiting += links(page) if go_on else []
        faults += looked_at(page, shape(address), CLOSED)
        if page.locator("main details").count():
            page.evaluate(UNFOLD)
            faults += looked_at(page, f"{shape(address)} unfolded", OPEN)
    return seen, faults


def looked_at(page, name, looks):
    faults = []
    for scheme, size in looks.items():
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        faults += [f"{name} {scheme} {size['width']}: {each}" for each in violations(page)]
    return faults
