"""A conversation of LibreChat may lie as deep in itself as it has messages, deeper than JSON is
read here. Its messages are laid beside each other first; each names the one it follows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from webapp.archives.json_text import STEP

_LIST: Final = re.compile(rb'"(?:messagesTree|children)"\s*:\s*\Z')
_LONGEST_NAME: Final = 200


@dataclass
class _Open:
    """A bracket that is not closed yet. A `holder` is the conversation or a message: `pieces` of
    it are kept, and from `start` on, without what stands in its `is_list` of others."""

    is_list: bool = False
    holder: bool = False
    start: int = 0
    pieces: list[bytes] = field(default_factory=list)


def unnested(data: bytes) -> bytes:
    """JSON of the same conversation with all its messages in one list; of anything else, the same
    bytes."""
    if not data.startswith(b"{") or b'"messagesTree"' not in data:
        return data
    waiting: list[_Open] = []
    apart: list[bytes] = []
    at = 0
    while (found := STEP.match(data, at)) is not None:
        at, place = found.end(), found.start(1)
        if found[1] in b"{[":
            waiting.append(_opened(data, place, waiting))
        elif waiting and not (closed := waiting.pop()).is_list:
            apart += [b"".join((*closed.pieces, data[closed.start : at]))] * closed.holder
        elif waiting:
            waiting[-1].start = place
    whole = apart.pop() if apart else b"{}"
    return whole.removesuffix(b"}") + b',"messages":[' + b",".join(apart) + b"]}"


def _opened(data: bytes, place: int, waiting: list[_Open]) -> _Open:
    if data[place : place + 1] == b"{":
        holder = not waiting or waiting[-1].is_list
        return _Open(holder=holder, start=place)
    around = waiting[-1] if waiting else _Open()
    if around.holder and _LIST.search(data, max(0, place - _LONGEST_NAME), place):
        around.pieces.append(data[around.start : place + 1])
        return _Open(is_list=True)
    return _Open()
