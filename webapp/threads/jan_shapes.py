"""What Jan keeps in other ways than Strata: thinking in parts of its own, times in other units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webapp.chat.messages import Message, Thread

_TOLD: Final = ("text", "reasoning")
_SECONDS_END: Final = 1e11  # no second of today; milliseconds of today are larger
_MOST: Final = 1e14


def message_as_kept(message: Message) -> Message:
    """With its thinking where an answer has it, pictures named in the text, and times in
    milliseconds. Parts that are no text stay."""
    times = _numbers(message.data, "created_at", "completed_at")
    message = message.with_fields(
        **{name: value * 1000 for name, value in times.items() if 0 < value < _SECONDS_END}
    )
    content = message.data.get("content")
    parts = (
        [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    )
    if not any(part.get("type") in ("reasoning", "image_url") for part in parts):
        return message
    said = "\n\n".join(filter(None, map(_said, parts)))
    kept = [part for part in parts if part.get("type") not in _TOLD]
    first = [part for part in parts if part.get("type") == "text"][:1]
    return message.with_fields(content=[*first, *kept]).with_text(said)


def thread_as_kept(thread: Thread) -> Thread:
    """With its times in seconds."""
    times = _numbers(thread.data, "created", "updated")
    return thread.with_fields(
        **{name: value / 1000 for name, value in times.items() if _SECONDS_END < value < _MOST}
    )


def _said(part: Mapping[str, Any]) -> str:
    body = part.get("text")
    value = body.get("value") if isinstance(body, Mapping) else body
    text = value if isinstance(value, str) else ""
    match part.get("type"):
        case "reasoning":
            return f"<think>\n{text.strip()}\n</think>" if text.strip() else ""
        case "image_url":
            return "[A picture]"
        case "text":
            return text
    return ""


def _numbers(data: Mapping[str, Any], *names: str) -> dict[str, float]:
    found = ((name, data.get(name)) for name in names)
    return {
        name: value
        for name, value in found
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
