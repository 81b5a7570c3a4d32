"""A thread's map in pixels, and what each of its boxes says."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from webapp.chat.branches import first_words, is_starred, name_of
from webapp.chat.messages import Message
from webapp.chat.tree_map import Spot, TreeMap

WIDTH: Final = 176
HEIGHT: Final = 50
ACROSS: Final = 198
DOWN: Final = 84
MARGIN: Final = 14
CORNER: Final = 10
LINE: Final = WIDTH - 24
LONGEST_NAME: Final = WIDTH - 80  # beside it stand how many, the star and the version
# Letters of 13 px in the widest of the usual faces; any other character is taken for one of 8.
_LETTERS: Final = {
    **dict.fromkeys("iljI|.,:;'!()[] ", 4.6),
    **dict.fromkeys('frt-"/', 5.4),
    **dict.fromkeys("ABCDEFGHKNOPQRSTUVXYZ&", 9.5),
    **dict.fromkeys("mwMW@%—…", 12.8),
}
_SPEAKERS: Final = {"assistant": "Answer", "system": "Instructions"}


@dataclass(frozen=True)
class Box:
    """One spot, drawn. `edge` is the curve from the box above, empty for a beginning; `said` is
    what a screen reader is told."""

    index: int
    spot: Spot
    x: int
    y: int
    speaker: str
    badge: str
    words: str
    title: str
    said: str
    role: str
    here: bool
    starred: bool
    named: bool
    indent: int = 0
    edge: str = ""

    @property
    def id(self) -> str:
        return self.spot.ids[0]


@dataclass(frozen=True)
class Drawing:
    boxes: tuple[Box, ...]
    width: int
    height: int
    messages: int


def _you(_: Message) -> str:
    return "You"


def drawing(
    drawn: TreeMap, firsts: Sequence[Message], asker: Callable[[Message], str] = _you
) -> Drawing:
    """`firsts` are the first messages of the spots, in their order; `asker` names who asked."""
    end = max((place for place, spot in enumerate(drawn.spots) if spot.on_path), default=-1)
    indents: list[int] = []
    boxes = []
    for place, (spot, message) in enumerate(zip(drawn.spots, firsts, strict=True)):
        parent = drawn.spots[spot.parent] if spot.parent is not None else None
        above = indents[spot.parent] if spot.parent is not None else 0
        indents.append(above + (spot.version > 1))
        box = _box(place, spot, message, asker, here=place == end)
        boxes.append(replace(box, indent=indents[-1], edge=_edge(parent, spot)))
    width = max(drawn.columns - 1, 0) * ACROSS + WIDTH + 2 * MARGIN
    height = max(drawn.rows - 1, 0) * DOWN + HEIGHT + 2 * MARGIN
    return Drawing(tuple(boxes), width, height, drawn.messages)


def _box(
    place: int, spot: Spot, message: Message, asker: Callable[[Message], str], *, here: bool
) -> Box:
    name = name_of(message)
    title = name or first_words(message, 120) or "No words yet"
    speaker = _SPEAKERS.get(message.role, message.role)
    if message.role == "user":
        speaker = cut(asker(message), LONGEST_NAME)
    badge = f"{spot.version}/{spot.versions}" if spot.versions > 1 else ""
    return Box(
        index=place,
        spot=spot,
        x=_left(spot),
        y=_top(spot),
        speaker=speaker,
        badge=badge,
        words=cut(title, LINE),
        title=title,
        said=_said(spot, speaker, title, here),
        role=message.role,
        here=here,
        starred=is_starred(message),
        named=bool(name),
    )


def _said(spot: Spot, speaker: str, title: str, here: bool) -> str:
    parts = [f"{speaker}: {title}"]
    if spot.versions > 1:
        parts.append(f"version {spot.version} of {spot.versions}")
    if len(spot.ids) > 1:
        parts.append(f"{len(spot.ids)} messages")
    if spot.on_path:
        parts.append("you are here" if here else "on the path shown")
    return ", ".join(parts)


def _left(spot: Spot) -> int:
    return MARGIN + spot.x * ACROSS


def _top(spot: Spot) -> int:
    return MARGIN + spot.y * DOWN


def _edge(above: Spot | None, below: Spot) -> str:
    """Down from the middle of one box, along between the rows, and down to the next."""
    if above is None:
        return ""
    x, y = _left(above) + WIDTH // 2, _top(above) + HEIGHT
    to_x, to_y = _left(below) + WIDTH // 2, _top(below)
    if x == to_x:
        return f"M{x} {y}V{to_y}"
    level, side = (y + to_y) // 2, CORNER if to_x > x else -CORNER
    turn = f"V{level - CORNER}Q{x} {level} {x + side} {level}"
    return f"M{x} {y}{turn}H{to_x - side}Q{to_x} {level} {to_x} {level + CORNER}V{to_y}"


def cut(text: str, pixels: float) -> str:
    """At most about so wide; Chinese and Japanese characters are wider than letters."""
    width = 0.0
    for place, character in enumerate(text):
        wide = unicodedata.east_asian_width(character) in "WF"
        width += 13.5 if wide else _LETTERS.get(character, 8.3)
        if width > pixels:
            return text[: max(place - 1, 1)].rstrip(" .,;:") + "…"
    return text
