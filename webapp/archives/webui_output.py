"""What an answer of Open WebUI is made of, item by item, where newer exports tell it so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from webapp.archives.json_text import loaded
from webapp.archives.loose import call, rows, words
from webapp.archives.webui_details import ran
from webapp.errors import BadInput


def made_of(output: object) -> tuple[str, str, list[dict[str, Any]]]:
    """The thinking, the words, and the calls with what came of them."""
    items = rows(output)
    results = {words(each.get("call_id")): _texts(each.get("output")) for each in items}
    thinking = "\n\n".join(filter(None, map(_thinking, items)))
    said = "\n\n".join(part for each in items for part in _said(each))
    calls = [_call(each, results) for each in items if each.get("type") == "function_call"]
    return thinking, said, calls


def _thinking(item: Mapping[str, Any]) -> str:
    if item.get("type") != "reasoning":
        return ""
    return (_texts(item.get("content")) or _texts(item.get("summary"))).strip()


def _said(item: Mapping[str, Any]) -> Iterator[str]:
    if item.get("type") == "message" and (text := _texts(item.get("content")).strip()):
        yield text
    code = words(item.get("code"))
    if item.get("type") == "open_webui:code_interpreter" and code:
        yield ran(code, words(item.get("lang")), item.get("output"))


def _call(item: Mapping[str, Any], results: Mapping[str, str]) -> dict[str, Any]:
    id = words(item.get("call_id")) or words(item.get("id"))
    arguments: object = words(item.get("arguments"))
    with suppress(BadInput):
        arguments = loaded(words(arguments).encode("utf-8", "replace"))
    name = words(item.get("name")) or "tool"
    return call(id, name, arguments, results.get(id, ""))


def _texts(value: object) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(filter(None, (words(each.get("text")) for each in rows(value))))
