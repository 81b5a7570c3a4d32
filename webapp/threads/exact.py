"""JSON that keeps how a number was spelled: `1.10`, `1E5` and 5,000 digits come back as they were.

Files of other programs pass through here; a number we do not understand is not ours to round.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.encoder import encode_basestring as _quoted
from typing import Any


class Spelled(float):
    """A number whose spelling is not the one Python would give it."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Spelled:
        number = super().__new__(cls, text)
        number.text = text
        return number


def loads(text: str) -> Any:
    """The value of one JSON text. Raises ValueError, also for one nested too deeply."""
    scanner = _EXACT if "-0" in text else _QUICK
    try:
        return _parsed(scanner, text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer longer than Python converts by default
        return _parsed(_EXACT, text)


def dumps(value: object) -> str:
    """Compact JSON, characters as they are; lone surrogates are left for `encoded` to escape.

    Raises ValueError for a value nested too deeply."""
    try:
        return _text(value)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _text(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Spelled):
        return value.text
    if isinstance(value, Mapping):
        members = []
        for key, item in value.items():
            members.append(f"{_quoted(str(key))}:{_text(item)}")
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        items = []
        for item in value:
            items.append(_text(item))
        return "[" + ",".join(items) + "]"
    return json.dumps(value)


def encoded(text: str) -> bytes:
    """UTF-8; a lone surrogate, which UTF-8 cannot hold, becomes its JSON escape."""
    return text.encode("utf-8", "backslashreplace")


def _parsed(scanner: json.JSONDecoder, text: str) -> Any:
    try:
        return scanner.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _real(text: str) -> float:
    value = float(text)
    return value if repr(value) == text else Spelled(text)


def _whole(text: str) -> float | int:
    if text == "-0" or len(text) > 4000:
        return Spelled(text)
    return int(text)


_QUICK = json.JSONDecoder(parse_float=_real)
_EXACT = json.JSONDecoder(parse_float=_real, parse_int=_whole)
