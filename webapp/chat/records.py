"""What a thread's log is made of, and what a decision about the tree asks the store to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.chat.messages import Message


@dataclass(frozen=True)
class Put:
    """A whole message; a known id is replaced."""

    message: Message


@dataclass(frozen=True)
class Patch:
    """Metadata keys merged into a message, for pointers, pins and names."""

    message_id: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class Append:
    """Text added to the end of a message's first text part."""

    message_id: str
    text: str


@dataclass(frozen=True)
class Delete:
    """One message goes; its children are the caller's to name too."""

    message_id: str


Record = Put | Patch | Append | Delete


@dataclass(frozen=True)
class ActiveRoot:
    """The thread's metadata `activeRootId` is to become this."""

    message_id: str


@dataclass(frozen=True)
class Decision:
    """What to write, in this order and in one append, and the new active root if it changes."""

    records: tuple[Record, ...] = ()
    active_root: ActiveRoot | None = None
