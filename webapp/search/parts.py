"""Parts of messages: what was found, and a message cut into parts that have one meaning each: whole
sentences and lines, as far as they fit. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from webapp.search.folding import DENSE
from webapp.search.index import Said

LONGEST: Final = 600  # characters: what an embedding model takes of any script
MOST: Final = 8  # of one message; what comes after them is found by its words
_SHORTEST: Final = 10
_SHORTEST_DENSE: Final = 4
_END: Final = re.compile(r"[.!?…]+[)\"'”’»]*\s+|[。！？]+[”’」』]*|\n+")


@dataclass(frozen=True)
class Part:
    """The part `start` to `end` of the text of `said`. `score` is 0 to 1, 1 best."""

    said: Said
    start: int
    end: int
    score: float

    @property
    def text(self) -> str:
        return self.said.text[self.start : self.end]


def parts(text: str) -> list[tuple[int, int]]:
    """From where to where, in their order; nothing for what says too little to be alike."""
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(text) and len(found) < MOST:
        stop = _stop(text, start)
        if says_something(text[start:stop]):
            found.append((start, stop))
        start = stop
    return found


def says_something(text: str) -> bool:
    letters = sum(character.isalnum() for character in text)
    return letters >= (_SHORTEST_DENSE if DENSE.search(text) else _SHORTEST)


def _stop(text: str, start: int) -> int:
    """After the last sentence that fits; else after the last word, or in its middle."""
    most = start + LONGEST
    if most >= len(text):
        return len(text)
    ends = [found.end() for found in _END.finditer(text, start, most)]
    if ends and ends[-1] > start + LONGEST // 4:
        return ends[-1]
    space = text.rfind(" ", start + LONGEST // 4, most)
    return space + 1 if space > 0 else most
