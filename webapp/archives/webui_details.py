"""Blocks that Open WebUI folds away in the text of an answer: thinking, calls of tools, and code
that it ran."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final

from webapp.archives.grown import thought
from webapp.archives.json_text import loaded
from webapp.archives.loose import call, mapping, rows, words
from webapp.chat.thread_markdown import fenced
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
        inside = block["inside"].strip()
        match about.get("type"):
            case "reasoning":
                thinking = _QUOTED.sub("", unescape(inside))
                return f"{thought(thinking, '')}\n\n" if inside else ""
            case "tool_calls":
                calls.extend(_calls(about, unescape(inside), len(calls) + 1))
                return ""
            case "code_interpreter":
                return f"{_with_output(inside, _value(about.get('output', '')))}\n\n"
        return block[0]

    return _BLOCK.sub(plain, content) if "<details" in content else content, calls


def ran(code: str, language: str, output: object) -> str:
    """Code, and what it printed."""
    return _with_output(fenced(code, language), output)


def _with_output(shown: str, output: object) -> str:
    about = mapping(output)
    told = [words(about.get(name)).strip() for name in ("stdout", "stderr", "result")]
    text = "\n".join(filter(None, told)) or words(output).strip()
    return f"{shown}\n\n{fenced(text, '')}" if text else shown


def _calls(about: Mapping[str, str], inside: str, number: int) -> Iterator[dict[str, Any]]:
    """One, or in older exports a list of them with their results beside it."""
    results = {
        words(each.get("tool_call_id")): words(each.get("content"))
        for each in rows(_value(about.get("results", "")))
    }
    listed = rows(_value(about.get("content", "")))
    for each in listed:
        id, asked = words(each.get("id")), mapping(each.get("function"))
        arguments = _value(words(asked.get("arguments")))
        yield call(id, words(asked.get("name")) or "tool", arguments, results.get(id, ""))
    if not listed:
        result = _value(about.get("result", inside))
        said = result if isinstance(result, str) else about.get("result", inside)
        id, name = about.get("id") or f"call_{number}", about.get("name") or "tool"
        yield call(id, name, _value(about.get("arguments", "")), said)


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
