"""A text that still arrives, read as if it were there: to wait for more is to yield.

Every place is an index from the beginning. What was read stays, so that a look ahead that leads
nowhere costs nothing but itself.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from typing import Final, TypeVar

_Value = TypeVar("_Value")
Waiting = Generator[None, None, _Value]

_SPACE: Final = frozenset(" \t\r\n")


class Cursor:
    """`over` says that no more comes; whoever waits is then told that there is nothing."""

    def __init__(self) -> None:
        self.chars: list[str] = []
        self.over = False

    def text(self, start: int, end: int) -> str:
        return "".join(self.chars[start:end])

    def has(self, at: int) -> Waiting[bool]:
        while at >= len(self.chars):
            if self.over:
                return False
            yield
        return True

    def skip_space(self, at: int) -> Waiting[int]:
        while (yield from self.has(at)) and self.chars[at] in _SPACE:
            at += 1
        return at

    def run_end(self, at: int) -> Waiting[int]:
        """Behind the run of one character that begins at `at`."""
        end = at + 1
        while (yield from self.has(end)) and self.chars[end] == self.chars[at]:
            end += 1
        return end

    def literal(self, at: int, spellings: tuple[str, ...]) -> Waiting[str]:
        """Which of the spellings, all in small letters, stands there; empty for none."""
        read, beginnings = "", _beginnings(spellings)
        while (yield from self.has(at + len(read))):
            read += self.chars[at + len(read)].lower()[:1]
            if read not in beginnings:
                break
            if read in spellings:
                return read
        return ""


@lru_cache(maxsize=64)
def _beginnings(spellings: tuple[str, ...]) -> frozenset[str]:
    return frozenset(each[:size] for each in spellings for size in range(1, len(each) + 1))
