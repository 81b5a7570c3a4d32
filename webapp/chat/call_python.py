"""A call written as a line of Python, `retrieve(query="rye")`, as Llama writes some of its own."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from webapp.chat.call_values import Called, loaded, named

_LONGEST: Final = 4_000
_CALL: Final = re.compile(r"([\w.:-]{1,64}?)(?:\.call)?\s*\((.*)\)", re.S)
_ARGUMENT: Final = re.compile(
    r"""\s*(\w{1,64})\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[-+.\w]+)\s*(?:,|\Z)""", re.S
)
_WORDS: Final = {"True": True, "False": False, "None": None}


def python_call(text: str, names: Collection[str]) -> Called | None:
    """The call of a known tool whose arguments are named texts, numbers or truths; None for
    anything else."""
    found = _CALL.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None:
        return None
    arguments: dict[str, object] = {}
    rest = found[2].strip()
    try:
        while rest:
            one = _ARGUMENT.match(rest)
            if one is None:
                return None
            arguments[one[1]] = _value(one[2])
            rest = rest[one.end() :].strip()
    except ValueError:
        return None
    called = named(found[1], arguments, names)
    return called if called.name in names else None


def _value(text: str) -> object:
    if text in _WORDS:
        return _WORDS[text]
    if text.startswith("'"):
        inner = text[1:-1].replace("\\'", "'")
        text = '"' + re.sub(r'(?<!\\)"', r"\"", inner) + '"'
    return loaded(text)
