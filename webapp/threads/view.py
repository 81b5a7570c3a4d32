"""What a page shows of a thread, as values."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.chat.messages import Message, Thread
from webapp.chat.tree import Tree


@dataclass(frozen=True)
class Shown:
    """A message as it stands on the shown path. `version` counts from 1 within `versions`."""

    message: Message
    version: int
    versions: tuple[str, ...]
    last: bool

    @property
    def previous_version(self) -> str | None:
        return self.versions[self.version - 2] if self.version > 1 else None

    @property
    def next_version(self) -> str | None:
        return self.versions[self.version] if self.version < len(self.versions) else None


@dataclass(frozen=True)
class ThreadView:
    """What a page needs of a thread: the last messages of one path, oldest first.

    `earlier` is the id to ask `before` with when older ones exist; `total` counts the path."""

    thread: Thread
    shown: tuple[Shown, ...]
    notices: tuple[str, ...]
    earlier: str | None
    total: int
    damaged: str

    @property
    def leaf(self) -> str | None:
        return self.shown[-1].message.id if self.shown else None


def shown(tree: Tree, message_id: str, leaf: str | None) -> Shown:
    """`message_id` with its versions, on the path that ends at `leaf`."""
    versions = tuple(tree.siblings(message_id))
    at = versions.index(message_id) + 1
    return Shown(tree.message(message_id), at, versions, message_id == leaf)
