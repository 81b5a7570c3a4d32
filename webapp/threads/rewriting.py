"""A log without what was superseded: one whole message per line, readable by Jan. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import Conflict
from webapp.threads import log
from webapp.threads.replay import Replay


@dataclass(frozen=True)
class Places:
    """An order of ids, and messages that keep their place in it while they are deleted."""

    ids: Sequence[str]
    lost: Sequence[Message]


@dataclass(slots=True)
class _Kept:
    """The line that put a message; `changed_at` when a later line added to it."""

    line: log.Line
    changed_at: int | None = None


def rewritten(lines: Iterable[log.Line], places: Places | None = None) -> bytes:
    """The new log. A message that nothing was added to keeps its text byte by byte; any other
    keeps at least the spelling of its numbers."""
    replay = Replay()
    kept: dict[str, _Kept] = {}
    for line in lines:
        replay.apply(line.record)
        _follow(kept, line)
    found = {each: _line(kept[each], replay, each) for each in replay.places() if each in kept}
    if places is None:
        return b"".join(found.values())
    lost = {message.id: _place(message) for message in places.lost if message.id not in found}
    return b"".join((found | lost).get(each, b"") for each in places.ids)


def _place(message: Message) -> bytes:
    """Put and deleted since ever: at no moment it is there."""
    return b"".join(log.encode([Put(message), Delete(message.id)], log.SINCE_EVER, None))


def _follow(kept: dict[str, _Kept], line: log.Line) -> None:
    match line.record:
        case Put(message):
            kept[message.id] = _Kept(line)
        case Delete(message_id):
            kept.pop(message_id, None)
        case Patch(message_id) | Append(message_id):
            if message_id in kept:
                kept[message_id].changed_at = line.at


def _line(kept: _Kept, replay: Replay, message_id: str) -> bytes:
    message = replay.get(message_id)
    if kept.changed_at is None or message is None:
        return log.seal(kept.line.body, kept.line.at)
    return log.seal(log.body_of(Put(message)), kept.changed_at)


def streamed_into() -> Conflict:
    """Why a thread cannot be rewritten now."""
    return Conflict("An answer is still being written.", "Stop it or wait for it.")
