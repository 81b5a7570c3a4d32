"""From what a model wrote as a call to a name and arguments, or to a sentence that says what is
wrong with it. The sentences are the results that the model gets."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from webapp.chat.call_json import ARGUMENT_KEYS, ID_KEYS, NAME_KEYS, WRAPPER_KEYS

_SHAPE: Final = '{"name": "…", "arguments": {…}}'
MALFORMED: Final = f"The call is not JSON that can be read. Write it as {_SHAPE}."
_NAMELESS: Final = f"The call names no tool. Write it as {_SHAPE}."
_NAME_IN_RUINS: Final = re.compile(r"""["']?name["']?\s*[:=]\s*["']([\w.:-]{1,64})["']""")
_LONGEST_NAME: Final = 64
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# A text within a text within a text: deeper than this nobody encodes by mistake.
_MOST_ENCODINGS: Final = 4


@dataclass(frozen=True)
class Called:
    """One call by the model. With a `problem` it is not run: the sentence is its result."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


def loaded(text: str) -> Any:
    """JSON as models write it, line breaks in strings included. ValueError for anything else."""
    try:
        return json.loads(text, strict=False, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def calls_in(value: object, names: Collection[str] | None) -> list[Called]:
    """The calls that a JSON value stands for, whatever is wrong with them; at least one. Without
    `names` any name is known."""
    return [_call(each, names) for each in _unwrapped(_decoded(value))]


def calls_in_text(value: object, names: Collection[str]) -> list[Called]:
    """The calls of a value that stands in text: none unless all of it is calls of known tools."""
    found = list(_unwrapped(value))
    if all(isinstance(each, Mapping) and _name(each) in names for each in found):
        return [_call(each, names) for each in found]
    return []


def named(name: str, arguments: object, names: Collection[str] | None, id: str = "") -> Called:
    """A call whose name and arguments came apart; `arguments` may be the text of JSON."""
    name = _known(name.strip(), names)
    if not name:
        return Called(id, "", problem=_NAMELESS)
    if names is not None and name not in names:
        return Called(id, name[:_LONGEST_NAME], problem=_unknown(name, names))
    found = _decoded(arguments)
    if isinstance(found, Mapping):
        return Called(id, name, _clean(found))
    problem = f"The arguments of {name} are not a JSON object. Write it as {_SHAPE}."
    return Called(id, name, problem=problem)


def malformed(body: str) -> Called:
    """The call that a tag announced and that cannot be read."""
    found = _NAME_IN_RUINS.search(body[:2000])
    return Called("", found[1] if found else "", problem=MALFORMED)


def _unwrapped(value: object) -> Iterator[object]:
    if isinstance(value, list):
        # An empty list, too, stands for a call that says nothing.
        for each in value or [None]:
            yield from _unwrapped(each) if isinstance(each, Mapping) else iter([each])
        return
    inner = _wrapped(value) if isinstance(value, Mapping) else None
    if isinstance(inner, list):
        yield from _unwrapped(inner)
    else:
        yield value if inner is None else inner


def _wrapped(value: Mapping[str, Any]) -> object:
    """What a wrapping holds, with the id that stands outside; None when nothing is wrapped."""
    inner = next((value[key] for key in WRAPPER_KEYS if isinstance(value.get(key), dict)), None)
    if inner is None:
        listed = value.get("tool_calls")
        return listed if isinstance(listed, list) and listed else None
    return {**{key: value[key] for key in ID_KEYS if key in value}, **inner}


def _call(value: object, names: Collection[str] | None) -> Called:
    if not isinstance(value, Mapping):
        return Called("", "", problem=_NAMELESS)
    id = next((value[key] for key in ID_KEYS if isinstance(value.get(key), str)), "")
    given = next((value[key] for key in ARGUMENT_KEYS if key in value), _Loose)
    if given is _Loose:
        known = {*NAME_KEYS, *ID_KEYS, "type"}
        given = {key: each for key, each in value.items() if key not in known}
    return named(_name(value), {} if given is None else given, names, id)


class _Loose:
    """Stands for arguments that are not gathered under a key of their own."""


def _name(value: Mapping[str, Any]) -> str:
    return next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), "")


def _known(name: str, names: Collection[str] | None) -> str:
    """Without the room that some models put before it, `functions.retrieve`."""
    last = re.split(r"[.:/]", name)[-1]
    return last if names is not None and name not in names and last in names else name


def _unknown(name: str, names: Collection[str]) -> str:
    tools = ", ".join(sorted(names))
    there = f"There are: {tools}." if tools else "There is none: answer without."
    return f"There is no tool “{name[:_LONGEST_NAME]}”. {there}"


def _decoded(value: object) -> object:
    """What a text of JSON, perhaps encoded more than once, stands for; else the value itself."""
    found = value
    for _ in range(_MOST_ENCODINGS):
        if not isinstance(found, str):
            break
        try:
            found = loaded(found)
        except ValueError:
            return value
    return found


def _clean(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Halves of characters, which no text may hold, become U+FFFD."""
    text = json.dumps(arguments, ensure_ascii=False)
    cleaned = json.loads(_SURROGATE.sub("\ufffd", text)) if _SURROGATE.search(text) else arguments
    return dict(cleaned)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
