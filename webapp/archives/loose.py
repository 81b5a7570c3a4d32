"""Fields of JSON from elsewhere, each with what stands in for a value of another kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from webapp.chat.kept_values import mappings

_IN_MILLISECONDS: Final = 1e11  # more than so many seconds is no time of today


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> list[Mapping[str, Any]]:
    return list(mappings(value)) if isinstance(value, list) else []


def words(value: object) -> str:
    return value if isinstance(value, str) else ""


def id_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def ids(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def milliseconds(value: object) -> float:
    """Of a time in seconds, or in milliseconds, since 1970; 0 for none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    if not 0 < value < 1e15:
        return 0
    return float(value) if value > _IN_MILLISECONDS else value * 1000


def call(id: str, name: str, arguments: object, result: str | None = None) -> dict[str, Any]:
    """A call of a tool as it stands in a message; with its result, as it stands in the metadata."""
    given = arguments if isinstance(arguments, Mapping) else {"input": arguments}
    function = {"name": name, "arguments": json.dumps(given, ensure_ascii=False, default=str)}
    made = {"id": id, "type": "function", "function": function}
    return made if result is None else {"tool": made, "response": result}
