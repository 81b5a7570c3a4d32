"""What a message of Claude's export says, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.grown import thought
from webapp.archives.loose import call, mapping, picture, rows, words
from webapp.chat.thread_markdown import fenced

_MADE: Final = ("create", "rewrite")


def text_of(message: Mapping[str, Any]) -> str:
    """Its words, with the thinking where it was; older exports have them in one piece."""
    said = "\n\n".join(filter(str.strip, map(_said, rows(message.get("content")))))
    return said or words(message.get("text"))


def calls_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Calls of tools with what came of them."""
    blocks = rows(message.get("content"))
    asked = [each for each in blocks if each.get("type") == "tool_use"]
    answers = [each for each in blocks if each.get("type") == "tool_result"]
    results = {words(each.get("tool_use_id")): _result(each) for each in answers}
    unnamed = iter([_result(each) for each in answers if not words(each.get("tool_use_id"))])
    found = []
    for number, each in enumerate(asked, 1):
        id = words(each.get("id"))
        result = results.get(id, "") if id else next(unnamed, "")
        name = words(each.get("name")) or "tool"
        found.append(call(id or f"call_{number}", name, each.get("input"), result))
    return found


def _said(block: Mapping[str, Any]) -> str:
    match block.get("type"):
        case "thinking":
            return thought(words(block.get("thinking")), "")
        case "tool_use":
            return _page(mapping(block.get("input")))
        case "tool_result":
            return ""
        case "image":
            return picture({})
    return words(block.get("text"))


def _page(asked: Mapping[str, Any]) -> str:
    """What was written beside the conversation, with its title; a change of it is only a call."""
    text = words(asked.get("content"))
    if not text or asked.get("command") not in _MADE:
        return ""
    title = words(asked.get("title"))
    is_text = words(asked.get("type")) == "text/markdown"
    shown = text if is_text else fenced(text, words(asked.get("language")))
    return "\n\n".join(filter(None, (f"**{title}**" if title else "", shown)))


def _result(block: Mapping[str, Any]) -> str:
    content = block.get("content")
    return content if isinstance(content, str) else "\n\n".join(_told(rows(content)))


def _told(parts: list[Mapping[str, Any]]) -> Iterator[str]:
    for each in parts:
        about = words(each.get("title")), words(each.get("url")), words(each.get("text"))
        if any(about):
            yield "\n".join(filter(None, about))
        elif "image" in words(each.get("type")):
            yield picture({})
