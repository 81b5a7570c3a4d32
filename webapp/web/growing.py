"""Markdown that grows at its end: which of its blocks are over, and what the last one shows.

A block is over once whole lines behind it begin another one. Lines are looked at only when they
are whole: `--` may still become a ruler, and two words more may make it a paragraph again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from webapp.web.code_blocks import code_frame
from webapp.web.markdown import (
    PLAIN_FRAME,
    References,
    block_starts,
    markdown_blocks,
    open_html,
    thinking_frame,
)
from webapp.web.safe_html import escaped

# An open block above this is shown letter by letter until it is over.
LARGEST_OPEN: Final = 32_000

_FENCE: Final = re.compile(r"(?P<bars>`{3,})(?P<info>[^`\n]*)\n|(?P<waves>~{3,})(?P<about>.*)\n")
_MAY_CLOSE: Final = re.compile(r"^ {0,3}(`+|~+)[ \t]*\Z", re.MULTILINE)


@dataclass(frozen=True)
class Open:
    """The open block: `before`, then `text` escaped, then `after`. Where `text` is not None the
    block only ever gets longer by more text; else `before` is all of it, and may change whole."""

    before: str
    text: str | None = None
    after: str = ""

    @property
    def html(self) -> str:
        return self.before + escaped(self.text or "") + self.after

    def added_to(self, earlier: Open | None) -> str | None:
        """What has to be added to the text of `earlier` to have this; None if that is not all."""
        if earlier is None or earlier.text is None or self.text is None:
            return None
        same_frame = (earlier.before, earlier.after) == (self.before, self.after)
        if same_frame and self.text.startswith(earlier.text):
            return self.text[len(earlier.text) :]
        return None


NOTHING: Final = Open("")


def open_thinking(text: str) -> Open:
    before, after = thinking_frame(open=True)
    return Open(before, text, after)


class GrowingMarkdown:
    """`blocks` are over and final; `closed_text` is what they were made from."""

    def __init__(self, references: References) -> None:
        self.blocks: list[str] = []
        self.closed_text = ""
        self._references = references
        self._seen = 0  # whole lines up to here have been looked at
        self._fence: re.Pattern[str] | None = None  # what would end the code that is open

    def grow(self, text: str) -> Open:
        """The open block of `text`, which begins with the text of the last call."""
        self._close_blocks(text)
        tail = text[len(self.closed_text) :]
        if not tail.strip():
            return NOTHING
        if self._fence and (opening := _FENCE.match(tail)):
            return _open_code(tail, opening)
        if len(tail) > LARGEST_OPEN:
            return Open(PLAIN_FRAME[0], tail, PLAIN_FRAME[1])
        return Open(open_html(tail, self._references))

    def _close_blocks(self, text: str) -> None:
        whole = text.rfind("\n") + 1
        if whole <= self._seen:
            return
        if self._fence and not self._fence.search(text, self._seen, whole):
            self._seen = whole
            return
        self._seen = whole
        self._fence = None
        while cut := self._next_cut(text[len(self.closed_text) : whole]):
            start = len(self.closed_text)
            self.blocks += markdown_blocks(text[start : start + cut], self._references)
            self.closed_text = text[: start + cut]

    def _next_cut(self, lines: str) -> int:
        """How many characters of whole `lines` are over; 0 when none are."""
        opening = _FENCE.match(lines)
        if opening is None:
            starts = block_starts(lines, self._references)
            return starts[-1] if starts else 0
        bars = opening["bars"] or opening["waves"]
        self._fence = re.compile(rf"^ {{0,3}}{bars[0]}{{{len(bars)},}}[ \t]*\n", re.MULTILINE)
        end = self._fence.search(lines, opening.end())
        if end is None:
            return 0
        self._fence = None
        return end.end()


def _open_code(tail: str, opening: re.Match[str]) -> Open:
    code = tail[opening.end() :]
    # A last line of nothing but fence characters may become the end of the code.
    held = _MAY_CLOSE.search(code, code.rfind("\n") + 1)
    before, after = code_frame(opening["info"] or opening["about"] or "")
    return Open(before, code[: held.start()] if held else code, after)
