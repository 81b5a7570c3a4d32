"""Texts to a server's embeddings and back: batches, and checks of what comes. Pure."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from webapp.errors import EngineFailed

MOST_TEXTS: Final = 32
_MOST_CHARACTERS: Final = 40_000
_SAME: Final = 1e-5
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DO: Final = "Check which model the server uses for embeddings."

# No window of an embedding model is smaller than 256 tokens, and none takes less than this.
SURELY_READ_BYTES: Final = 500
TAIL: Final = " and" + " seven brown horses crossed the wide river before winter" * 4


def cleaned(index: int, text: str) -> str:
    """NFC, without white space at the ends. EngineFailed for a text without words."""
    clean = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text)).strip()
    if not clean:
        raise EngineFailed(f"Text {index} is empty and has no meaning to compare.", do="Skip it.")
    return clean


def batches(texts: Sequence[str]) -> Iterator[range]:
    """Neighbours that may be sent together, as ranges of indexes."""
    start = size = 0
    for index, text in enumerate(texts):
        if index > start and (index - start == MOST_TEXTS or size + len(text) > _MOST_CHARACTERS):
            yield range(start, index)
            start, size = index, 0
        size += len(text)
    if start < len(texts):
        yield range(start, len(texts))


def vectors_of(reply: object, count: int) -> list[list[float]]:
    """One vector of unit length for each text, put in order by index."""
    data = reply.get("data") if isinstance(reply, Mapping) else None
    if not isinstance(data, list) or not all(isinstance(item, Mapping) for item in data):
        raise EngineFailed("The server's reply has no embeddings in it.", do=_DO)
    places = [_place(item, order) for order, item in enumerate(data)]
    if sorted(places) != list(range(count)):
        raise EngineFailed(f"The server gave {len(data)} embeddings for {count} texts.", do=_DO)
    vectors = [_unit(item.get("embedding")) for item in data]
    if len({len(vector) for vector in vectors}) > 1:
        raise EngineFailed("The server's embeddings differ in length.", do=_DO)
    return [vector for _, vector in sorted(zip(places, vectors, strict=True))]


def same(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two unit vectors are one, but for the rounding of the machine they come from."""
    if len(one) != len(other):
        return False
    return 1 - math.fsum(a * b for a, b in zip(one, other, strict=True)) < _SAME


def _place(item: Mapping[str, Any], order: int) -> int:
    index = item.get("index", order)
    return index if isinstance(index, int) and not isinstance(index, bool) else -1


def _unit(values: object) -> list[float]:
    if not isinstance(values, list) or not values or not all(map(_is_number, values)):
        raise EngineFailed("The server gave an embedding that is not a list of numbers.", do=_DO)
    length = math.hypot(*values)
    if not math.isfinite(length) or length == 0.0:
        raise EngineFailed("The server gave an embedding without a direction.", do=_DO)
    return [value / length for value in values]


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 1e30  # false for NaN, and for numbers whose squares have no end
