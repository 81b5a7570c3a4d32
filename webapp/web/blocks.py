"""A growing answer as HTML blocks: those that are closed, and the one still open.

Closed blocks are rendered once, however many readers there are; only the open one is rendered
anew, and where it merely gets longer (code, thinking) not even that: its new words are enough. At
the end the whole answer is rendered and compared. Where a late link definition or a stray closing
tag of thinking changed what came before, the *epoch* goes up and readers begin anew.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from webapp.chat.thinking import Part, split
from webapp.web.growing import NOTHING, GrowingMarkdown, Open, open_thinking
from webapp.web.markdown import References, answer_blocks, part_blocks
from webapp.web.safe_html import sendable

# A step may use this share of one processor: what took long is not done again at once.
REST_PER_WORK = 4


@dataclass(frozen=True)
class Blocks:
    """`closed` only ever grows within one epoch. `characters` is how much of the text they show,
    and `rest` the seconds after which it is worth asking again."""

    epoch: int
    closed: tuple[str, ...]
    open: Open
    characters: int = 0
    rest: float = 0.0


class GrowingText:
    """The blocks of one answer; `show` may be called by any number of readers at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._epoch = 0
        self._finished = False
        self._now = Blocks(0, (), NOTHING)
        self._resting_until = 0.0
        self._start_over()

    def show(self, text: str, *, finished: bool) -> Blocks:
        """The blocks of `text`, or of a beginning of it that was shown a moment ago."""
        with self._lock:
            grown = finished or len(text) > self._now.characters
            tired = not finished and time.monotonic() < self._resting_until
            if grown and not tired and not self._finished:
                self._finished = finished
                self._now = self._step(text)
            return self._now

    def _step(self, text: str) -> Blocks:
        begun = time.thread_time()
        closed, opened = self._end(text) if self._finished else self._grow(sendable(text))
        rest = REST_PER_WORK * (time.thread_time() - begun)
        self._resting_until = time.monotonic() + rest
        return Blocks(self._epoch, closed, opened, len(text), rest)

    def _end(self, text: str) -> tuple[tuple[str, ...], Open]:
        whole = tuple(answer_blocks(sendable(text)))
        if whole[: len(self._now.closed)] != self._now.closed:
            self._epoch += 1
        return whole, NOTHING

    def _start_over(self) -> None:
        self._parts: tuple[Part, ...] = ()
        self._references: References = {}
        self._earlier: list[str] = []  # blocks of the parts before the last
        self._last = GrowingMarkdown(self._references)

    def _grow(self, text: str) -> tuple[tuple[str, ...], Open]:
        parts = split(text, finished=False)
        if not self._goes_on(parts):
            self._epoch += 1
            self._start_over()
        for part in parts[max(0, len(self._parts) - 1) : -1]:
            self._earlier += part_blocks(part, self._references)
            self._last = GrowingMarkdown(self._references)
        self._parts = parts
        return self._shown(parts[-1]) if parts else ((), NOTHING)

    def _goes_on(self, parts: tuple[Part, ...]) -> bool:
        """Whether `parts` only add to what has been closed so far."""
        if not self._parts:
            return True
        before, last = self._parts[:-1], self._parts[-1]
        place = len(before)
        if len(parts) <= place or parts[:place] != before or parts[place].kind != last.kind:
            return False
        if place < len(parts) - 1:
            # The last part ended: fine, if it ended the way its blocks that are out began.
            whole = part_blocks(parts[place], dict(self._references))
            return whole[: len(self._last.blocks)] == self._last.blocks
        return parts[place].text.startswith(self._last.closed_text)

    def _shown(self, last: Part) -> tuple[tuple[str, ...], Open]:
        if last.kind == "thinking" and last.open:
            return tuple(self._earlier), open_thinking(last.text)
        if last.kind == "thinking":
            return (*self._earlier, *part_blocks(last, self._references)), NOTHING
        opened = self._last.grow(last.text)
        return (*self._earlier, *self._last.blocks), opened
