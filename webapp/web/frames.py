"""What a page is told about a growing answer: the difference to what it has, as JSON.

n  index of the first block in c         e  epoch: another one means begin anew
c  blocks closed since                   p  phase
o  HTML of the open block, if it changed t  sentence for the reader, if there is one
a  text to add to the open block         d  1 in the last frame
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from webapp.generation.broadcast import Snapshot
from webapp.web.blocks import Blocks
from webapp.web.growing import Open
from webapp.web.safe_html import sendable


@dataclass(frozen=True)
class Cursor:
    """What a reader has: `have` blocks of `epoch`, and under them the open block."""

    have: int = 0
    epoch: int = -1
    open: Open | None = None
    phase: str = ""
    sentence: str = ""


def next_frame(now: Snapshot, blocks: Blocks, reader: Cursor) -> tuple[str, Cursor]:
    """The frame that brings `reader` up to `blocks`, and what the reader has then. The frame is
    empty when there is nothing to tell."""
    if blocks.epoch != reader.epoch or not 0 <= reader.have <= len(blocks.closed):
        reader = Cursor(epoch=blocks.epoch)
    closed = blocks.closed[reader.have :]
    frame: dict[str, object] = {
        "n": reader.have,
        "c": closed,
        "e": blocks.epoch,
        "p": now.phase,
        **_open_changes(blocks.open, None if closed else reader.open),
    }
    if now.detail:
        frame["t"] = sendable(now.detail)
    if now.done:
        frame["d"] = 1
    then = Cursor(len(blocks.closed), blocks.epoch, blocks.open, now.phase, now.detail)
    text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    return ("" if then == reader and not now.done else text), then


def _open_changes(now: Open, before: Open | None) -> dict[str, str]:
    if now == before:
        return {}
    added = now.added_to(before)
    return {"o": now.html} if added is None else {"a": added}
