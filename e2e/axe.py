"""axe-core on every kind of page that links lead to: wide and narrow, light and dark, with all that
folds closed and open."""

import re
from urllib.parse import urljoin, urlsplit

from axe_playwright_python.sync_playwright import Axe

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
CLOSED = {"light": WIDE, "dark": NARROW}
OPEN = {"light": NARROW, "dark": WIDE}
UNFOLD = "() => document.querySelectorAll('details').forEach(each => { each.open = true; })"
AXE = Axe()


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
