"""What planning a window needs to know of each message, found out once per message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from webapp.chat.estimate import estimated_message
from webapp.chat.inlined import block, inlined_files
from webapp.chat.messages import Message
from webapp.chat.prompt import Part, is_sendable, said
from webapp.chat.summary import FAILED, SUMMARY, Summary, summary_at
from webapp.chat.tool_calls import result_of, tool_calls


@dataclass(frozen=True, eq=False)
class Facts:
    """`calls` are ids whose results must come as messages of their own; `special` marks what a
    plan must look at wherever it stands; `window_start` is where the window of this answer began,
    if it says so."""

    message: Message
    id: str
    role: str
    live: bool
    pinned: bool
    muted: bool
    special: bool
    calls: frozenset[str]
    result_of: str
    window_start: str

    @cached_property
    def alone(self) -> tuple[Part, ...]:
        """What it puts into a request when no results belong to it."""
        return tuple(said(self.message, ()))

    @cached_property
    def files(self) -> str:
        """The text of its inlined files as it is sent."""
        return "\n\n".join(block(file) for file in inlined_files(self.message))

    @cached_property
    def estimate(self) -> int:
        return estimated_message(self.message)

    @cached_property
    def summary(self) -> Summary | None:
        return summary_at(self.message)


class KnownFacts:
    """Remembers facts by message value; changed messages are new values."""

    def __init__(self, most: int = 200_000) -> None:
        self._most = most
        self._known: dict[int, Facts] = {}

    def of(self, path: Sequence[Message]) -> list[Facts]:
        """Facts in the order of the path."""
        if len(self._known) > max(self._most, 2 * len(path)):
            self._known = {}
        known = self._known
        # An entry holds its message, so no other message can have come by its address.
        found = list(map(known.get, map(id, path)))
        if None not in found:
            return found  # type: ignore[return-value]
        for message in path:
            if id(message) not in known:
                known[id(message)] = facts_of(message)
        return [known[id(message)] for message in path]


def facts_of(message: Message) -> Facts:
    metadata = message.metadata
    pinned, muted = metadata.get("pinned") is True, metadata.get("muted") is True
    calls = tool_calls(message)
    live = not muted and is_sendable(message) and (bool(calls) or _has_content(message))
    return Facts(
        message,
        message.id,
        message.role,
        live=live,
        pinned=pinned and live,
        muted=muted,
        special=pinned or muted or SUMMARY in metadata or FAILED in metadata,
        calls=frozenset(call.id for call in calls if call.result is None),
        result_of=result_of(message),
        window_start=_window_start(metadata.get("usage")),
    )


def _has_content(message: Message) -> bool:
    match message.data.get("content"):
        case [{"type": "text", "text": {"value": str(text)}}, *_] if text and not text.isspace():
            return True  # nearly always, and much quicker
    return message.role == "tool" or bool(message.text.strip() or inlined_files(message))


def _window_start(usage: object) -> str:
    found = usage.get("window_start") if isinstance(usage, Mapping) else None
    return found if isinstance(found, str) else ""
