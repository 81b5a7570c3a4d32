"""What the decisions of a model before its answer have in common: the shape of the reply that a
grammar allows, and the message as it is shown for that."""

from __future__ import annotations

import json
from typing import Any, Final

LONGEST_REPLY: Final = 64
"""Tokens; most replies have 6 to 20."""
LONGEST_QUERY: Final = 160
QUERY: Final = {"type": "string", "minLength": 1, "maxLength": LONGEST_QUERY}
_LONGEST_ASKED: Final = 600
_LONGEST_BEFORE: Final = 200


def only(action: str, **more: Any) -> dict[str, Any]:
    """The schema of one object: an action, and what it needs."""
    properties = {"action": {"const": action}, **more}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def reply(action: str, query: str = "") -> str:
    """One that the schema allows, for an example."""
    found = {"action": action, "query": query} if query else {"action": action}
    return json.dumps(found, ensure_ascii=False)


def read(reply: str) -> tuple[str, str | None] | None:
    """The action, and the query if there is one; None for a reply that cannot be read."""
    try:
        found = json.loads(reply)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    query = found.get("query")
    words = " ".join(query.split())[:LONGEST_QUERY] if isinstance(query, str) else None
    return str(found.get("action")), words


def message(before: str, asked: str) -> str:
    """What a person asked, after what the same person asked before, if anything."""
    earlier = f"Before: {short(before, _LONGEST_BEFORE)}\n" if before else ""
    return f"{earlier}Message: {short(asked, _LONGEST_ASKED)}"


def short(text: str, longest: int) -> str:
    """On one line; of a long text its beginning and end, where questions stand."""
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return text
