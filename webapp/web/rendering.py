"""Pages, fragments, and the rendered text of messages.

A page is a whole document at its own URL; a fragment is one file of `templates/fragments/` with
one root element. Only answers to POST exist in two forms: htmx gets the fragment that changed,
a plain form is sent on (303) to the page that shows it; `Vary` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import Response, make_response, redirect, render_template, request
from markupsafe import Markup, escape

from webapp.chat.messages import Message, Thread, is_id
from webapp.errors import StrataError
from webapp.threads.assistants import DamagedAssistant
from webapp.threads.store import DamagedThread
from webapp.web.access import current_member, readable
from webapp.web.cite_marks import cited_html
from webapp.web.cited import Cited, cited
from webapp.web.markdown import to_html
from webapp.web.rendered import RenderedTexts
from webapp.web.services import services
from webapp.web.things import of_thread

LISTED = 100
_ANSWERED = "strata:answered from:body delay:700ms"
LONGEST_UNFOLDED = 6000
FOLDED_AFTER = 1500
THEMES = ("auto", "light", "dark")
THEME_COOKIE = "strata_theme"
_SURROGATES = re.compile("[\ud800-\udfff]")
_texts = RenderedTexts(most_characters=16_000_000)


def page(template: str, *, status: int = 200, **values: Any) -> Response:
    """`templates/pages/<template>.html` with the list of threads beside it."""
    html = render_template(f"pages/{template}.html", **_surroundings(), **values)
    return _answer(html, status)


def fragment(template: str, **values: Any) -> str:
    """`templates/fragments/<template>.html`, on its own."""
    return printable(render_template(f"fragments/{template}.html", **values))


def wants_fragment() -> bool:
    return request.headers.get("HX-Request") == "true"


def done(url: str, show: Callable[[], str | Response] | None = None) -> Response:
    """The answer to a POST that succeeded: `show()` for htmx (nothing to swap when None), or on
    to `url`."""
    if not wants_fragment():
        return _vary(make_response(redirect(url, 303)))
    return _vary(make_response(show()) if show else Response(status=204))


def placed(html: str, target: str, swap: str) -> Response:
    """A fragment for another place than the one the form named."""
    headers = {"HX-Retarget": target, "HX-Reswap": swap}
    return Response(html, 200, headers, mimetype="text/html")


def leave_for(url: str) -> Response:
    """The answer to a POST after which another page is due."""
    if not wants_fragment():
        return _vary(make_response(redirect(url, 303)))
    return _vary(Response(status=204, headers={"HX-Redirect": url}))


def body_html(message: Message) -> Markup:
    """A message as its readers see it: answers as Markdown, all else exactly as written."""
    if message.role != "assistant":
        return _as_written(message.text)
    if message.status == "pending":
        return Markup(to_html(message.text))  # noqa: S704 - sanitised by `to_html`
    known = cited(message)
    if known.grounded and is_id(message.thread_id) and is_id(message.id):
        return Markup(_cited_body(message, known))  # noqa: S704 - sanitised before marks are put in
    return Markup(_texts.html(message.id, message.text, to_html))  # noqa: S704


def _cited_body(message: Message, known: Cited) -> str:
    at = f"/threads/{message.thread_id}/messages/{message.id}"
    facts = (known.sources, known.supports, known.quotes, known.unsupported, at)
    key = f"{message.text}\0{facts!r}"
    return _texts.html(message.id, key, lambda _: cited_html(message.text, known, at))


def _as_written(text: str) -> Markup:
    """A long text is folded after its beginning, so that a pasted book hides no answer."""
    if len(text) <= LONGEST_UNFOLDED:
        return escape(text)
    cut = text.find("\n", FOLDED_AFTER, FOLDED_AFTER + 200) + 1 or FOLDED_AFTER
    folded = render_template("macros/folded.html", rest=text[cut:], characters=len(text))
    return escape(text[:cut]) + Markup(folded.strip())  # noqa: S704 - rendered with escapes


def printable(html: str) -> str:
    """`html` that can be sent as UTF-8: lone surrogates, which other programs store, go."""
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", html)


def theme() -> str:
    chosen = request.cookies.get(THEME_COOKIE, "auto")
    return chosen if chosen in THEMES else "auto"


def _surroundings() -> Mapping[str, Any]:
    """What every page shows around its own content. An unreadable list is told, not fatal."""
    if current_member() is None:
        return {"theme": theme(), "rows": [], "more_rows": 0, "list_trouble": ""}
    around: dict[str, Any] = {"theme": theme(), "model": services().engine.describe()}
    try:
        rows = readable(services().library.threads(), of_thread)
    except StrataError as error:
        return {**around, "rows": [], "more_rows": 0, "list_trouble": str(error)}
    more = max(0, len(rows) - LISTED)
    return {**around, "rows": rows[:LISTED], "more_rows": more, "list_trouble": ""}


def title_trigger(thread: Thread) -> str:
    """When the page looks for a better title: after the answer it comes with, then now and
    then; empty when none is expected. At once when one came since the thread was read. A thread
    that began with a file has none yet, and gets it with its first question."""
    generation = services().generation
    if not generation.titles.expected(thread.id):
        if not thread.title:
            return _ANSWERED
        return "load" if services().library.thread(thread.id).title != thread.title else ""
    answering = generation.running(thread.id)
    return _ANSWERED if answering else "load delay:1s"


def is_damaged(row: object) -> bool:
    return isinstance(row, DamagedThread)


def is_damaged_assistant(entry: object) -> bool:
    return isinstance(entry, DamagedAssistant)


def _answer(html: str, status: int) -> Response:
    return Response(printable(html), status, mimetype="text/html")


def _vary(response: Response) -> Response:
    response.vary.add("HX-Request")
    return response
