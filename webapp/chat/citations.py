"""Sources in what a tool gave: passages of files and web pages, in the shapes that tools
for search answer in.

A passage has an `id`, a `text` and a `file_id`, a page of the web an address that begins with
http. They stand in a list, under one of a few names, as JSON or as text that is JSON. Whatever else
a tool gives is no source, and nothing is ever fetched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from webapp.chat.excerpts import Excerpt, merged
from webapp.chat.kept_values import mappings
from webapp.chat.messages import Message
from webapp.chat.tool_calls import tool_calls

MOST: Final = 100
LONGEST_TEXT: Final = 8192
LONGEST_OUTPUT: Final = 4_000_000
BY_TOOL: Final = "tool"

_LISTS: Final = ("results", "citations", "sources", "data", "content", "structuredContent")
_DEEPEST: Final = 12
_LONGEST_WORD: Final = 300
_LONGEST_ADDRESS: Final = 2000
_MOST_ORDER: Final = 10**9
_WEB: Final = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_BROKEN: Final = re.compile("[\x00\ud800-\udfff]")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_UNSEEN: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


def citations(output: object) -> tuple[Excerpt, ...]:
    """The sources in the result of a call, as text or as JSON values: each once, neighbours in a
    file as one, 100 at most."""
    return merged(list(islice(_found(output, _DEEPEST), MOST)))


def cited_by_tools(message: Message) -> tuple[Excerpt, ...]:
    """Those in the results that stand within an answer, as other programs keep them."""
    results = (call.result for call in tool_calls(message) if call.result)
    found = (each for result in results for each in citations(result))
    return merged(list(islice(found, MOST)))


def kept_excerpts(message: Message) -> tuple[Excerpt, ...]:
    """What an answer was made from, as it is kept with it."""
    usage = message.metadata.get("usage")
    kept = usage.get("passages") if isinstance(usage, Mapping) else None
    if message.role != "assistant":
        return ()
    if isinstance(kept, list) and kept:
        return tuple(Excerpt.from_data(each) for each in mappings(kept))
    return cited_by_tools(message)


# --- inside ---


def _found(value: object, depth: int) -> Iterator[Excerpt]:
    if depth <= 0:
        return
    if isinstance(value, str):
        yield from _found(_parsed(value), depth - 1)
    elif isinstance(value, list):
        for each in value:
            yield from _found(each, depth - 1)
    elif isinstance(value, Mapping):
        source = _passage(value) or _page(value)
        if source is not None:
            yield source
            return
        if value.get("type") == "text":
            yield from _found(value.get("text"), depth - 1)
        for name in _LISTS:
            yield from _found(value.get(name), depth - 1)


def _parsed(text: str) -> object:
    """Text that is JSON; encoded twice, too."""
    text = text.strip("\ufeff \t\r\n")
    if text[:1] not in ("{", "[", '"') or len(text) > LONGEST_OUTPUT:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _passage(data: Mapping[str, Any]) -> Excerpt | None:
    id, text, file_id = (data.get(key) for key in ("id", "text", "file_id"))
    if not (isinstance(id, str) and isinstance(text, str) and isinstance(file_id, str)):
        return None
    if not text.strip():
        return None
    order = _count(data, "chunk_file_order", "order")
    start, end = _span(data, text)
    return Excerpt(
        id=_clean(id)[:_LONGEST_WORD],
        file_id=_clean(file_id)[:_LONGEST_WORD],
        file=_word(data, "file_name", "filename", "file", "name", "title") or "A file",
        place=_word(data, "place") or _of_page(data),
        order=order,
        last_order=order,
        score=_score(data),
        by=BY_TOOL,
        text=_clean(text)[:LONGEST_TEXT],
        start=start,
        end=end,
        columns=_word(data, "columns"),
    )


def _page(data: Mapping[str, Any]) -> Excerpt | None:
    address = data.get("url")
    if not isinstance(address, str) or not _WEB.match(address):
        return None
    address = _UNSEEN.sub("", _clean(address))[:_LONGEST_ADDRESS]
    names = ("snippet", "text", "content", "description", "excerpt", "summary")
    texts = (data[name] for name in names if isinstance(data.get(name), str))
    return Excerpt(
        id=_word(data, "id"),
        file=_word(data, "title", "name") or _host(address),
        place=address,
        score=_score(data),
        by=BY_TOOL,
        text=_clean(next(filter(str.strip, texts), ""))[:LONGEST_TEXT],
        address=address,
    )


def _clean(text: str) -> str:
    """Without what can be neither kept nor shown."""
    return _BROKEN.sub("\ufffd", text)


def _word(data: Mapping[str, Any], *names: str) -> str:
    """The first of these that says something, on one line."""
    texts = (data[name] for name in names if isinstance(data.get(name), str))
    lines = (" ".join(_CONTROLS.sub(" ", _clean(text)).split()) for text in texts)
    return next(filter(None, lines), "")[:_LONGEST_WORD]


def _host(address: str) -> str:
    return address.split("/")[2].rpartition("@")[2]


def _count(data: Mapping[str, Any], *names: str) -> int:
    found = (data.get(name) for name in names)
    return next((n for n in found if type(n) is int and 0 <= n < _MOST_ORDER), -1)


def _span(data: Mapping[str, Any], text: str) -> tuple[int, int]:
    """Where the passage stands, if that is told and as long as the text is."""
    start, end = data.get("start"), data.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < _MOST_ORDER:
        return 0, 0
    return (start, end) if end - start == len(text) <= LONGEST_TEXT else (0, 0)


def _of_page(data: Mapping[str, Any]) -> str:
    page = _count(data, "page", "page_number")
    return f"p. {page}" if page >= 0 else ""


def _score(data: Mapping[str, Any]) -> float | None:
    score = data.get("score")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    return round(float(score), 4) if 0 <= score <= 1 else None
