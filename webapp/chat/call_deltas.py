"""Tool calls that a server streams in parts, as OpenAI's API has them, put together again.

Servers differ in what they leave out: the index, the ids, or a new index for a new call.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from webapp.chat.call_values import loaded

_MOST_CALLS: Final = 128


@dataclass(frozen=True)
class CallText:
    """A call as it came. `arguments` is text: models write JSON that is none."""

    id: str
    name: str
    arguments: str


class CallsInParts:
    """Calls told apart by index; a new id with a name begins a new call, and so does a name that
    follows arguments that are whole. What has neither id nor name goes on with a call."""

    def __init__(self) -> None:
        self._found: list[CallText] = []
        self._pieces: list[list[str]] = []
        self._place: dict[int, int] = {}
        self._echoes: set[int] = set()  # begun by a mere name again: a call if arguments follow

    @property
    def whole(self) -> tuple[CallText, ...]:
        """All so far, each with an id of its own."""
        calls: list[CallText] = []
        for place, (call, pieces) in enumerate(zip(self._found, self._pieces, strict=True)):
            if place in self._echoes and not any(pieces):
                continue
            taken = {each.id for each in calls}
            id = call.id if call.id not in taken | {""} else _new_id(len(calls) + 1, taken)
            calls.append(replace(call, id=id, arguments="".join(pieces)))
        return tuple(calls)

    def add(self, parts: object) -> None:
        """The `tool_calls` of a delta, or of a whole message."""
        for order, part in enumerate(parts if isinstance(parts, list) else ()):
            if isinstance(part, Mapping):
                self._add(order, part)

    def _add(self, order: int, part: Mapping[str, Any]) -> None:
        function = part.get("function")
        said = function if isinstance(function, Mapping) else {}
        id, name = _text(part.get("id")), _text(said.get("name"))
        more = _arguments(said.get("arguments"))
        place = self._place_of(order, part.get("index"), id, name)
        if place is None or self._begins_another(place, id, name, more):
            if len(self._found) >= _MOST_CALLS:
                return
            echo = place is not None and not id and not more and name == self._found[place].name
            place = len(self._found)
            self._found.append(CallText("", "", ""))
            self._pieces.append([])
            self._echoes.update({place} if echo else ())
        self._place[_key(order, part.get("index"))] = place
        old = self._found[place]
        self._found[place] = CallText(old.id or id, self._named(place, name), "")
        self._pieces[place].append(more)

    def _place_of(self, order: int, index: object, id: str, name: str) -> int | None:
        """Of the call that a part goes on with, if it does not begin another."""
        place, known = self._place.get(_key(order, index)), self._with_id(id)
        if known is not None and (not _is_index(index) or not name):
            return known
        last = len(self._found) - 1 if self._found and not id and not name else None
        return last if place is None else place

    def _named(self, place: int, name: str) -> str:
        """Some servers send a name in pieces, or more of it each time, before the arguments."""
        known = self._found[place].name
        if not known or name.startswith(known):
            return name or known
        return known if any(self._pieces[place]) or known.endswith(name) else known + name

    def _with_id(self, id: str) -> int | None:
        places = (place for place, call in enumerate(self._found) if id and call.id == id)
        return next(places, None)

    def _begins_another(self, place: int, id: str, name: str, more: str) -> bool:
        """Some servers give each part of one call an id of its own, but no name."""
        call = self._found[place]
        if id and call.id not in ("", id):
            return bool(name) or self._is_whole(place)
        if not name or not call.name:
            return False
        another = bool(more) and not (name.startswith(call.name) or any(self._pieces[place]))
        return another or self._is_whole(place)

    def _is_whole(self, place: int) -> bool:
        try:
            return isinstance(loaded("".join(self._pieces[place])), dict)
        except ValueError:
            return False


def _key(order: int, index: object) -> int:
    return index if isinstance(index, int) and _is_index(index) else -1 - order


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _arguments(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _new_id(number: int, taken: Collection[str]) -> str:
    while f"call_{number}" in taken:
        number += 1
    return f"call_{number}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
