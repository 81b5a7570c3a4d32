"""Where no call is looked for: code and thinking, followed to their end while they arrive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from webapp.chat.call_cursor import Cursor, Waiting
from webapp.chat.thinking import CLOSINGS

_THOUGHT: Final = tuple(tag.lower() for tag in CLOSINGS)
_QUOTES: Final = frozenset("`'\"“”‘’")
LEADS: Final = " \t>-*+.)0123456789"
"""What may stand before a fence on its line: quotes and lists indent it."""

Show = Callable[[int], None]
"""Is told up to where all is text, as soon as it is known."""


@dataclass(frozen=True)
class Fence:
    mark: str
    count: int

    def is_closed_by(self, line: str) -> bool:
        bars = line.strip(" \t>\r")
        return len(bars) >= self.count and set(bars) == {self.mark}


def span_end(cursor: Cursor, at: int, ticks: int) -> Waiting[int]:
    """Behind the run of `ticks` that closes a code span in this paragraph, or 0."""
    blank = False
    while (yield from cursor.has(at)):
        char = cursor.chars[at]
        if char == "`":
            end = yield from cursor.run_end(at)
            if end - at == ticks:
                return end
            at = end - 1
        if char == "\n" and blank:
            return 0
        blank = char == "\n" or (blank and char in " \t\r")
        at += 1
    return 0


def content_of_fence(cursor: Cursor, at: int, mark: str) -> Waiting[int]:
    """Behind the first line of a fence whose bars end at `at`; 0 if that is none."""
    while (yield from cursor.has(at)):
        if cursor.chars[at] == "\n":
            return at + 1
        if mark == "`" and cursor.chars[at] == "`":
            return 0
        at += 1
    return at


def fence_end(cursor: Cursor, at: int, fence: Fence) -> Waiting[int]:
    """Behind the closing line, if nothing but white space comes before it; else -1. An answer
    that ends before it closed it in mind."""
    at = yield from cursor.skip_space(at)
    line = at
    while (yield from cursor.has(at)) and cursor.chars[at] != "\n":
        if cursor.chars[at] not in f"{fence.mark} \t>\r":
            return -1
        at += 1
    return at if at == line or fence.is_closed_by(cursor.text(line, at)) else -1


def follow_fence(cursor: Cursor, at: int, fence: Fence, show: Show) -> Waiting[None]:
    """Over the content that begins at `at`, and its closing line."""
    line = at
    while (yield from cursor.has(at)):
        at += 1
        if cursor.chars[at - 1] == "\n":
            if fence.is_closed_by(cursor.text(line, at - 1)):
                break
            line = at
        if at == len(cursor.chars):
            show(at)
    show(at)


def follow_thinking(cursor: Cursor, at: int, show: Show) -> Waiting[None]:
    """Over thinking that begins at `at`, and the tag that ends it: none that is quoted or stands
    in a block of code."""
    fence: Fence | None = None
    while (yield from cursor.has(at)):
        char = cursor.chars[at]
        if char in "`~" and _begins_line(cursor, at):
            end = yield from cursor.run_end(at)
            if fence and char == fence.mark and end - at >= fence.count:
                fence = None
            elif not fence and end - at >= 3:
                fence = Fence(char, end - at)
            at = end
        elif char in "<[◁" and (tag := (yield from cursor.literal(at, _THOUGHT))):
            at += len(tag)
            quoted = yield from _quoted(cursor, at - len(tag), at)
            if not fence and not quoted:
                break
        else:
            at += 1
        if at == len(cursor.chars):
            show(at)
    show(at)


def _begins_line(cursor: Cursor, at: int) -> bool:
    start = at
    while start and at - start <= 3 and cursor.chars[start - 1] == " ":
        start -= 1
    return start == 0 or cursor.chars[start - 1] == "\n"


def _quoted(cursor: Cursor, start: int, end: int) -> Waiting[bool]:
    if not start or cursor.chars[start - 1] not in _QUOTES:
        return False
    return (yield from cursor.has(end)) and cursor.chars[end] in _QUOTES
