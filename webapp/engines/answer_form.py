"""What a request demands of the form of its answer, checked before an engine sees it. Pure."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from webapp.engines.engine import Request
from webapp.errors import EngineFailed

_LONGEST_SCHEMA: Final = 20_000
_DEEPEST: Final = 32


def checked(request: Request) -> Request:
    """The same request with schema and tools as plain JSON values that nobody else holds.

    EngineFailed for what is no JSON, and for a schema that would keep a model's process busy."""
    if request.schema is None and not request.tools:
        return request
    schema = None if request.schema is None else _plain(request.schema, "schema")
    tools = tuple(_plain(tool, "tool") for tool in request.tools)
    if len(json.dumps(schema)) > _LONGEST_SCHEMA:
        raise EngineFailed(
            f"The schema of the answer is longer than {_LONGEST_SCHEMA:,} characters.",
            do="Ask for less at once.",
        )
    return replace(request, schema=schema, tools=tools)


def _plain(value: Any, kind: str) -> dict[str, Any]:
    try:
        plain = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as fault:
        raise EngineFailed(
            f"A {kind} of the request is not a JSON object: {fault}.", do="Correct it."
        ) from fault
    if _deeper_than(plain, _DEEPEST):
        raise EngineFailed(
            f"A {kind} of the request is nested more than {_DEEPEST} deep.", do="Make it flatter."
        )
    return dict(plain)


def _deeper_than(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper_than(part, levels - 1) for part in inner)
