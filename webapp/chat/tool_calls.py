"""Calls of tools, and what came of them, as they stand in messages.

Three shapes are read: calls of a message whose results are messages of their own (`tool_calls`,
`tool_call_id`), calls with their result in the metadata (Jan), and parts of type `tool-…` or
`tool_call`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.chat.messages import Message

_KINDS: Final = ("dynamic-tool", "tool_call")
_IDS: Final = ("toolCallId", "tool_call_id")


@dataclass(frozen=True)
class ToolCall:
    """`arguments` is always the text of a JSON object; `result` is None when it stands in a
    message of its own, or never came."""

    id: str
    name: str
    arguments: str
    result: str | None = None


def tool_parts(message: Message) -> tuple[Any, ...]:
    """The raw values that describe calls, in order."""
    content = message.data.get("content")
    parts = [part for part in content if _is_call_part(part)] if isinstance(content, list) else []
    listed = message.data.get("tool_calls") or message.metadata.get("tool_calls")
    return (*(listed if isinstance(listed, list) else []), *parts)


def tool_calls(message: Message) -> tuple[ToolCall, ...]:
    """The calls of an answer, in order; what is no call is passed over."""
    if message.role != "assistant":
        return ()
    return tuple(_calls(message)) if tool_parts(message) else ()


def result_of(message: Message) -> str:
    """The id of the call that a tool's message answers; empty for any other message."""
    if message.role != "tool":
        return ""
    return _text(message.data.get("tool_call_id")) or _text(message.metadata.get("tool_call_id"))


def written(call: ToolCall) -> str:
    """A call as text within a turn, for templates that know no calls."""
    name = json.dumps(call.name, ensure_ascii=False)
    body = f'{{"name": {name}, "arguments": {call.arguments}}}'
    return f"<tool_call>\n{body}\n</tool_call>"


def _calls(message: Message) -> Iterator[ToolCall]:
    for part in tool_parts(message):
        if not isinstance(part, Mapping):
            continue
        inner = _within(part, "tool")
        function = _within(inner, "function")
        names = (function.get("name"), part.get("toolName"), part.get("tool_name"))
        name = next(filter(None, map(_text, names)), "") or _named_by_type(part)
        if name:
            id = next(filter(None, map(_text, (inner.get("id"), *map(part.get, _IDS)))), "")
            given = function.get("arguments", part.get("input"))
            yield ToolCall(id, name, _object_text(given), _result(part))


def _within(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else value


def _is_call_part(part: object) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind in _KINDS or kind.startswith("tool-"))


def _named_by_type(part: Mapping[str, Any]) -> str:
    return _text(part.get("type")).removeprefix("tool-") if _is_call_part(part) else ""


def _result(part: Mapping[str, Any]) -> str | None:
    found = next((part[key] for key in ("response", "output", "errorText") if part.get(key)), None)
    if found is None or isinstance(found, str):
        return found
    return json.dumps(found, ensure_ascii=False, default=str)


def _object_text(given: object) -> str:
    """Arguments as JSON objects only: templates and engines take nothing else."""
    value = given
    if isinstance(given, str):
        try:
            value = json.loads(given)
        except (ValueError, RecursionError):
            return "{}"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict) else "{}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
