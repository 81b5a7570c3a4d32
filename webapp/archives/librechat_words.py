"""What a message of LibreChat's export says, as one text or part by part."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from webapp.archives.grown import thought
from webapp.archives.json_text import loaded
from webapp.archives.loose import call, mapping, picture, rows, words
from webapp.errors import BadInput

_FOLDED: Final = re.compile(r"\A\s*:::thinking\n(?P<inside>.*?)\n?:::\s*", re.DOTALL)


def text_of(message: Mapping[str, Any]) -> str:
    """Its words, with the thinking where it was, and pictures named."""
    if failure_of(message):
        return ""
    parts = [_said(each) for each in rows(message.get("content"))]
    said = "\n\n".join(filter(str.strip, parts)) or _unfolded(words(message.get("text")))
    seen = [picture(each) for each in rows(message.get("files")) if _is_picture(each)]
    return "\n\n".join(filter(None, (said, *seen)))


def failure_of(message: Mapping[str, Any]) -> str:
    """Why there is no answer, or why it ends early."""
    if message.get("error") is True:
        return words(message.get("text")) or "The model could not answer."
    failed = (each for each in rows(message.get("content")) if each.get("type") == "error")
    return next((words(each.get("error")) or _of(each, "text") for each in failed), "")


def calls_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Calls of tools with what came of them."""
    found = []
    for number, part in enumerate(rows(message.get("content")), 1):
        about = mapping(part.get("tool_call"))
        if part.get("type") != "tool_call" or not about:
            continue
        function = mapping(about.get("function"))
        name = words(about.get("name")) or words(function.get("name")) or words(about.get("type"))
        asked = about.get("args") or function.get("arguments")
        result = words(about.get("output")) or words(function.get("output"))
        id = words(about.get("id")) or f"call_{number}"
        found.append(call(id, name or "tool", _value(asked), result))
    return found


def _said(part: Mapping[str, Any]) -> str:
    match part.get("type"):
        case "think":
            return thought(_of(part, "think"), "")
        case "image_file" | "image_url":
            return picture(mapping(part.get("image_file")))
        case "text":
            return _of(part, "text")
    return ""


def _of(part: Mapping[str, Any], name: str) -> str:
    return words(part.get(name)) or words(mapping(part.get(name)).get("value"))


def _unfolded(text: str) -> str:
    found = _FOLDED.match(text)
    return thought(found["inside"], text[found.end() :]) if found else text


def _is_picture(file: Mapping[str, Any]) -> bool:
    return words(file.get("type")).startswith("image/")


def _value(asked: object) -> object:
    try:
        return loaded(asked.encode("utf-8", "replace")) if isinstance(asked, str) else asked
    except BadInput:
        return asked
