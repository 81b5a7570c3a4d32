"""Fields of JSON from elsewhere, each with what stands in for a value of another kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from webapp.chat.kept_values import mappings

# More than so many seconds is no time of today, but one in a smaller unit.
_UNITS: Final = ((1e11, 1000), (1e14, 1), (1e17, 1e-3), (1e20, 1e-6))


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
    """Of a time since 1970 in seconds or any smaller unit, or as ISO 8601 has it; 0 for none."""
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        return 0
    return next((value * factor for most, factor in _UNITS if value <= most), 0)


def _of_text(value: str) -> float:
    """Without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(value.strip())
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0, round(zoned.timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0


def picture(about: Mapping[str, Any], told: str = "") -> str:
    """What stands in the text for a picture that cannot come: its size, and what is told of it."""
    size = [about.get(side) for side in ("width", "height")]
    sizes = [" × ".join(map(str, size))] if all(type(each) is int for each in size) else []
    return f"[{': '.join(['A picture', *sizes, *filter(None, [told])])}]"


def call(id: str, name: str, arguments: object, result: str | None = None) -> dict[str, Any]:
    """A call of a tool as it stands in a message; with its result, as it stands in the metadata."""
    given = arguments if isinstance(arguments, Mapping) else {"input": arguments}
    function = {"name": name, "arguments": json.dumps(given, ensure_ascii=False, default=str)}
    made = {"id": id, "type": "function", "function": function}
    return made if result is None else {"tool": made, "response": result}
