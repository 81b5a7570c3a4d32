"""A growing answer as HTML blocks: those that are closed, and the one still open.

Closed blocks are rendered once, however many readers there are; only the open one is rendered
anew, so a long answer costs what is new in it. What was sent stays right, because at the end the
whole answer is rendered once more and compared; where a late link definition or a stray closing
tag of thinking changed what came before, the *epoch* goes up and readers begin anew.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from webapp.chat.thinking import Part, split
from webapp.web.markdown import (
    References,
    answer_blocks,
    block_starts,
    markdown_blocks,
    open_html,
    part_blocks,
    plain_html,
    thinking_html,
)
from webapp.web.safe_html import sendable

# Above this an open block is shown letter by letter until it closes: parsing it at every step
# would cost the square of its length.
LARGEST_OPEN = 16_000


@dataclass(frozen=True)
class Blocks:
    """`closed` only ever grows within one epoch."""

    epoch: int
    closed: tuple[str, ...]
    open: str


class GrowingText:
    """The blocks of one answer; `show` may be called by any number of readers at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._epoch = 0
        self._finished = False
        self._now = Blocks(0, (), "")
        self._seen = ""
        self._start_over()

    def show(self, text: str, *, finished: bool) -> Blocks:
        """The blocks of `text`, which begins with what was shown before."""
        with self._lock:
            if not self._finished and (finished or len(text) > len(self._seen)):
                self._seen = text
                self._now = self._end(text) if finished else self._grow(sendable(text))
                self._finished = finished
            return self._now

    def _start_over(self) -> None:
        self._parts: tuple[Part, ...] = ()
        self._whole: list[str] = []
        self._begin_part()

    def _begin_part(self) -> None:
        self._references: References = {}
        self._blocks: list[str] = []
        self._stable = 0
        self._looked_at = 0

    def _grow(self, text: str) -> Blocks:
        parts = split(text, finished=False)
        before = self._parts[:-1]
        if parts[: len(before)] != before or self._last_changed(parts):
            self._epoch += 1
            self._start_over()
        for part in parts[max(0, len(self._parts) - 1) : -1]:
            self._whole += part_blocks(part, {})
            self._begin_part()
        self._parts = parts
        opened = self._open_part(parts[-1]) if parts else ""
        return Blocks(self._epoch, (*self._whole, *self._blocks), opened)

    def _last_changed(self, parts: tuple[Part, ...]) -> bool:
        """Whether what was the last part is now something else than its continuation."""
        if not self._parts:
            return False
        last, place = self._parts[-1], len(self._parts) - 1
        if place >= len(parts):
            return True
        now = parts[place]
        closed = place < len(parts) - 1 and bool(self._blocks)
        return closed or now.kind != last.kind or not now.text.startswith(last.text[: self._stable])

    def _open_part(self, part: Part) -> str:
        if part.kind == "thinking":
            return thinking_html(part.text, open=part.open)
        self._close_blocks(part.text)
        tail = part.text[self._stable :]
        if len(tail) > LARGEST_OPEN:
            return plain_html(tail)
        return open_html(tail, self._references) if tail.strip() else ""

    def _close_blocks(self, text: str) -> None:
        lines = text[self._stable : text.rfind("\n") + 1]
        # A long open block is looked at again only when it has grown by a tenth.
        if not lines or len(lines) < self._looked_at * 1.1 * (len(lines) > LARGEST_OPEN):
            return
        self._looked_at = len(lines)
        starts = block_starts(lines, self._references)
        if len(starts) < 2:
            return
        self._blocks += markdown_blocks(lines[: starts[-1]], self._references)
        self._stable += starts[-1]
        self._looked_at = 0

    def _end(self, text: str) -> Blocks:
        whole = tuple(answer_blocks(sendable(text)))
        if whole[: len(self._now.closed)] != self._now.closed:
            self._epoch += 1
        return Blocks(self._epoch, whole, "")
