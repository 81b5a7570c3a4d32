"""Blocks that Open WebUI folds away in the text of an answer: thinking, and calls of tools."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Final

from webapp.archives.grown import thought
from webapp.archives.json_text import loaded
from webapp.archives.loose import call
from webapp.errors import BadInput

_BLOCK: Final = re.compile(
    r"<details\s+(?P<about>[^>]*)>\s*(?:<summary>[^<]*</summary>)?(?P<inside>(?:[^<]++|<(?!/?details))*+)"
    r"</details>\s*"
)
_FACT: Final = re.compile(r'(\w+)="([^"]*)"')
_QUOTED: Final = re.compile(r"^> ?", re.MULTILINE)


def told(content: str) -> tuple[str, list[dict[str, Any]]]:
    """The words with the thinking where other programs look for it, and the calls with what came
    of them."""
    calls: list[dict[str, Any]] = []

    def plain(block: re.Match[str]) -> str:
        about = {name: unescape(value) for name, value in _FACT.findall(block["about"])}
        if about.get("type") == "reasoning":
            inside = _QUOTED.sub("", unescape(block["inside"]).strip())
            return f"{thought(inside, '')}\n\n" if inside.strip() else ""
        if about.get("type") == "tool_calls":
            calls.append(_call(about, len(calls) + 1))
            return ""
        return block[0]

    return _BLOCK.sub(plain, content) if "<details" in content else content, calls


def _call(about: dict[str, str], number: int) -> dict[str, Any]:
    result = _value(about.get("result", ""))
    told = result if isinstance(result, str) else about["result"]
    id, name = about.get("id") or f"call_{number}", about.get("name") or "tool"
    return call(id, name, _value(about.get("arguments", "")), told)


def _value(text: str) -> object:
    """JSON, twice if it was put into a text of its own; else the text."""
    found: object = text
    for _ in range(2):
        if isinstance(found, str) and found[:1] in ("{", "[", '"'):
            try:
                found = loaded(found.encode("utf-8", "replace"))
            except BadInput:
                break
    return found
