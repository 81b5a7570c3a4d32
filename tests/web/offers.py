"""What a page offers to ask for: each form, link and htmx attribute, as (method, path, query)."""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

POSTS = ("formaction", "hx-post", "data-go")
GETS = ("href", "hx-get", "src", "data-stream", "data-done-url", "data-news")


class Offers(HTMLParser):
    def __init__(self, html, address):
        super().__init__()
        self.found, self._address = set(), address
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            method = given.get("method", "get").upper()
            self._add(method, given.get("action") or self._address)
        for name, value in given.items():
            if name in POSTS:
                self._add("POST", value)
            elif name in GETS:
                self._add("GET", value)
            else:
                assert not name.startswith(("hx-put", "hx-patch", "hx-delete")), "say its method"

    def _add(self, method, address):
        if address.startswith("#"):
            return
        parts = urlsplit(urljoin(self._address, address))
        if not parts.netloc and parts.path and not parts.path.startswith("/static/"):
            self.found.add((method, parts.path, parts.query))


def offers(html, address):
    return Offers(html, address).found
