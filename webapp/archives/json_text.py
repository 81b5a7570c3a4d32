"""JSON from elsewhere: read strictly, and a long list of it an item at a time.

A list is cut into its items by their brackets alone, so that a damaged item takes no other with it
and none is in memory but the one at hand.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webapp.documents.files import Stream
from webapp.errors import BadInput
from webapp.threads import exact

DEEPEST: Final = 200
LARGEST_ITEM: Final = 128 << 20
TOO_DEEP: Final = "It is nested too deeply."

_PIECE: Final = 1 << 20
_STRING: Final = rb'"(?:[^"\\]++|\\.)*+"'
# The next bracket outside of a string.
STEP: Final = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+([{}\[\]])", re.DOTALL)
_BETWEEN: Final = re.compile(rb"[\s,]*")
_UNUSUAL: Final = re.compile(rb"NaN|Infinity")


@dataclass(frozen=True)
class Item:
    """`trouble` is a sentence about an item that cannot be read; `data` is what is there of it."""

    data: bytes
    trouble: str = ""


def loaded(data: bytes) -> Any:
    """The value of one JSON text. Raises BadInput with a sentence."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("It is not UTF-8.") from None
    try:
        value = exact.loads(text)
    except ValueError:
        raise BadInput("It is not JSON, or only a part of it.") from None
    if _UNUSUAL.search(data) and _has_no_number(value):
        raise BadInput("It holds numbers that JSON does not have (NaN or Infinity).")
    return value


def items(stream: Stream) -> Iterator[Item]:
    """The objects of a list, or the one object that it is. Raises BadInput for neither."""
    return _Cut(stream).items()


class _Cut:
    """`_at` is where the walk is in `_text`; `_kept` is where the item at hand begins, or what
    stands before the next one."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._text = b""
        self._at = self._kept = 0

    def items(self) -> Iterator[Item]:
        self._more()
        self._text = self._text.removeprefix(codecs.BOM_UTF8)
        first = self._text.lstrip()[:1]
        if first not in (b"[", b"{"):
            raise BadInput(
                "It is not a JSON list or object.", "Choose the file as it was exported."
            )
        if first == b"[":
            self._at = self._kept = self._text.index(b"[") + 1
        for item in self._each():
            yield item
            if first == b"{":
                return

    def _each(self) -> Iterator[Item]:
        depth = deepest = 0
        while (found := self._step()) is not None:
            sign, place = found
            if depth == 0:
                yield from self._stray(place)
                if sign in b"]}":
                    return
                self._kept = place
            depth += 1 if sign in b"{[" else -1
            deepest = max(deepest, depth)
            if depth == 0:
                data, self._kept, deep = self._text[self._kept : self._at], self._at, deepest
                deepest = 0
                yield Item(data, TOO_DEEP if deep > DEEPEST else "")
        yield Item(self._text[self._kept :][:_PIECE], "The file ends in the middle of it.")

    def _step(self) -> tuple[bytes, int] | None:
        """The next bracket outside of a string, and where it stands. None at the end of the file.
        Raises BadInput for an item that is too large to be held."""
        while (found := STEP.match(self._text, self._at)) is None:
            if not self._more():
                return None
        self._at = found.end()
        return found[1], found.start(1)

    def _more(self) -> bool:
        """As much again as there is: what was begun is walked once more."""
        self._text, self._at = self._text[self._kept :], self._at - self._kept
        self._kept = 0
        if len(self._text) > LARGEST_ITEM:
            raise BadInput(
                f"One thread in it has more than {LARGEST_ITEM >> 20} MB.",
                "Take that thread out of the file, then import the others.",
            )
        piece = self._stream.read(max(_PIECE, len(self._text)))
        self._text += piece
        return bool(piece)

    def _stray(self, end: int) -> Iterator[Item]:
        """What stands between items and is none."""
        between = self._text[self._kept : end]
        if _BETWEEN.fullmatch(between) is None:
            yield Item(between[:_PIECE], "It is not a thread.")


def _has_no_number(value: Any) -> bool:
    """Numbers that were spelled in digits, however many, are numbers."""
    if isinstance(value, float):
        return not math.isfinite(value) and not isinstance(value, exact.Spelled)
    if isinstance(value, Mapping):
        return any(map(_has_no_number, value.values()))
    return isinstance(value, list) and any(map(_has_no_number, value))
