"""What a page shows of a thread, as values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webapp.chat.messages import Message, Thread
from webapp.chat.tree import Tree


@dataclass(frozen=True)
class Elsewhere:
    """Another version of a message, counted from 1, that more messages follow than this one."""

    id: str
    version: int
    following: int


@dataclass(frozen=True)
class Shown:
    """A message as it stands on the shown path. `version` counts from 1 within `versions`;
    `writing` says how many other versions are being written."""

    message: Message
    version: int
    versions: tuple[str, ...]
    last: bool
    elsewhere: Elsewhere | None = None
    writing: int = 0

    @property
    def previous_version(self) -> str | None:
        return self.versions[self.version - 2] if self.version > 1 else None

    @property
    def next_version(self) -> str | None:
        return self.versions[self.version] if self.version < len(self.versions) else None


@dataclass(frozen=True)
class ThreadView:
    """What a page needs of a thread: the last messages of one path, oldest first.

    `earlier` is the id to ask `before` with when older ones exist; `total` counts the path;
    `active` is true for the path with which the thread opens; `above` counts what comes before
    the first one shown; `end` is the last message of the path, shown or not."""

    thread: Thread
    shown: tuple[Shown, ...]
    notices: tuple[str, ...]
    earlier: str | None = None
    total: int = 0
    damaged: str = ""
    active: bool = True
    above: int = 0
    end: str | None = None

    @property
    def leaf(self) -> str | None:
        return self.shown[-1].message.id if self.shown else None


def window(
    opened: ThreadView, tree: Tree, leaf: str | None, *, before: str | None, limit: int
) -> ThreadView:
    """`opened`, which shows nothing yet, with the last `limit` messages of the path that ends at
    `leaf`, or of its part just before `before`."""
    ids = tree.tail(leaf, limit, before=before)
    more = bool(ids) and tree.parent(ids[0]) is not None
    return replace(
        opened,
        shown=tuple(shown(tree, message_id, leaf) for message_id in ids),
        earlier=ids[0] if more else None,
        total=tree.depth(leaf) if leaf else 0,
        active=leaf == tree.active_leaf(),
        above=tree.depth(ids[0]) - 1 if ids else 0,
        end=leaf,
    )


def shown(tree: Tree, message_id: str, leaf: str | None) -> Shown:
    """`message_id` with its versions, on the path that ends at `leaf`."""
    message = tree.message(message_id)
    versions = tree.siblings(message_id)
    if len(versions) == 1:
        return Shown(message, 1, versions, message_id == leaf)
    others = [each for each in versions if each != message_id]
    return Shown(
        message,
        versions.index(message_id) + 1,
        versions,
        message_id == leaf,
        _elsewhere(tree, message_id, leaf or message_id, versions),
        sum(tree.message(each).status == "pending" for each in others),
    )


def _elsewhere(tree: Tree, shown: str, leaf: str, versions: tuple[str, ...]) -> Elsewhere | None:
    """The version with the longest path below, if that is longer than what is shown."""
    depth = tree.depth(shown)
    ends = [tree.depth(tree.leaf_through(each)) for each in versions]
    longest = max(ends)
    if longest <= max(tree.depth(leaf), depth):
        return None
    place = ends.index(longest)
    return Elsewhere(versions[place], place + 1, longest - depth)
