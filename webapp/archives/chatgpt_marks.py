"""Marks in the words of ChatGPT's export that its page draws as something else: sources, files,
names. Private characters frame them, or in older answers brackets with a dagger."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.loose import mapping, rows, words

_FRAMED: Final = re.compile("\ue200([^\ue200\ue201]*)\ue201|[\ue200-\ue206]")
_NOTE: Final = re.compile(r"【(\d+)[^【】]{0,300}】")
_SIGNS: Final = ("\ue200", "【", "oaicite")
_TO_NOWHERE: Final = re.compile(r"\[([^\[\]]*)\]\(\)")


def resolved(text: str, metadata: Mapping[str, Any]) -> str:
    """With the links, files and names that its marks stand for. A mark that stands for nothing
    that is known goes, unless it can be read."""
    for each in rows(metadata.get("content_references")):
        mark = words(each.get("matched_text"))
        if any(sign in mark for sign in _SIGNS) and (link := _link(each) or _label(mark)):
            text = text.replace(mark, link)
    if "【" in text:
        text = _noted(text, rows(metadata.get("citations")))
    return _FRAMED.sub(lambda found: _label(found[0]), text)


def _link(about: Mapping[str, Any]) -> str:
    """What is told of a source, in brackets; its own words for it first."""
    if alt := words(about.get("alt")):
        return _TO_NOWHERE.sub(r"\1", alt)
    pages = filter(None, map(_page, (*rows(about.get("items")), about)))
    if page := next(pages, ""):
        return f"({page})"
    return f"({name})" if (name := words(about.get("name"))) else ""


def _page(about: Mapping[str, Any]) -> str:
    address = words(about.get("url"))
    if not address.startswith(("http://", "https://")) or any(each in address for each in "<> \n"):
        return ""
    title = " ".join(words(about.get("title")).split()) or address
    return f"[{title.translate({ord('['): '(', ord(']'): ')'})}](<{address}>)"


def _label(mark: str) -> str:
    """The words in a mark that are meant for the reader: of a name, or of a link."""
    kind, *fields = mark.strip("\ue200\ue201").split("\ue202")
    if kind == "entity" and fields:
        names = list(_names(fields[0]))
        return (names[1:2] or names or [""])[0]
    if kind in ("url", "link_title") and fields:
        return _page({"url": fields[-1], "title": fields[0]}) or fields[0]
    return ""


def _names(text: str) -> Iterator[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from (each for each in found if isinstance(each, str)) if isinstance(found, list) else ()


def _noted(text: str, citations: list[Mapping[str, Any]]) -> str:
    """By their places if marks stand there, else by their numbers; others stay as they are."""
    places: dict[int, str] = {}
    numbers: dict[str, str] = {}
    for each in citations:
        about = mapping(each.get("metadata"))
        link = _link(about)
        start, end = each.get("start_ix"), each.get("end_ix")
        numbers[str(mapping(about.get("extra")).get("cited_message_idx"))] = link
        if type(start) is int and type(end) is int and 0 <= start < end:
            found = _NOTE.search(text, start, end)
            places |= {found.start(): link} if found else {}
    return _NOTE.sub(
        lambda found: places.get(found.start()) or numbers.get(found[1]) or found[0], text
    )
