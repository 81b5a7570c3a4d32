"""The bare shape of a tree of messages: parents, sorted children, and which child is shown.

No messages here, only ids. Steps down the active path are remembered in stretches of 32, 1,024
and 32,768, each forgotten when a pointer inside it changes. So the newest message of a thread of
100,000 is found in some dozens of steps, after a switch at its very top too.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from math import inf
from typing import Final, NamedTuple

STRIDE: Final = 32
LEVELS: Final = 3

Key = tuple[float, int]


class Stretch:
    """A part of the active path, one power of `STRIDE` long, whose end is known or None."""

    __slots__ = ("end", "start")

    def __init__(self, start: Node) -> None:
        self.start = start
        self.end: Node | None = None


class Node:
    """A place in the forest. `depth` counts the nodes above; the roots' parent is the top."""

    __slots__ = ("children", "depth", "id", "key", "parent", "pointer", "stretches")

    def __init__(self, id: str, key: Key, pointer: str | None) -> None:
        self.id = id
        self.key = key
        self.pointer = pointer
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.depth = 0
        self.stretches: tuple[Stretch, ...] = ()

    def place(self, parent: Node) -> None:
        """Take depth and stretches from the parent; a new stretch begins at round depths."""
        self.parent = parent
        self.depth = parent.depth + 1
        self.stretches = parent.stretches
        if self.depth % STRIDE == 0:
            self.stretches = tuple(
                stretch if self.depth % STRIDE ** (level + 1) else Stretch(self)
                for level, stretch in enumerate(parent.stretches)
            )


class Seed(NamedTuple):
    """What a node is made from. `key` sorts siblings; a parent of None makes a root."""

    id: str
    key: Key
    parent: str | None
    pointer: str | None


class Forest:
    """Nodes by id under one nameless top, whose children are the roots."""

    def __init__(self, seeds: Iterable[Seed] = (), active_root_id: str | None = None) -> None:
        """Every parent named must be among the seeds, in any order, and rings must be cut."""
        self.top = Node("", (0.0, 0), active_root_id)
        self.top.stretches = tuple(Stretch(self.top) for _ in range(LEVELS))
        self.nodes: dict[str, Node] = {}
        self._leaf: Node | None = self.top
        self._grow(list(seeds))

    def _grow(self, seeds: list[Seed]) -> None:
        self.nodes = {seed.id: Node(seed.id, seed.key, seed.pointer) for seed in seeds}
        for seed in seeds:
            self.find(seed.parent).children.append(self.nodes[seed.id])
        waiting = [self.top]
        while waiting:
            node = waiting.pop()
            if len(node.children) > 1:
                node.children.sort(key=_key)
            for child in node.children:
                child.place(node)
            waiting.extend(node.children)
        self._leaf = None

    def find(self, id: str | None) -> Node:
        """The node of that id, the top for None. Raises KeyError."""
        return self.top if id is None else self.nodes[id]

    def insert(self, seed: Seed) -> None:
        """A new leaf; its parent is already there."""
        node, parent = Node(seed.id, seed.key, seed.pointer), self.find(seed.parent)
        before = self.active(parent)
        self.nodes[seed.id] = node
        node.place(parent)
        insort(parent.children, node, key=_key)
        self._shown_child_changed(parent, before)

    def remove(self, id: str) -> None:
        """A leaf goes."""
        node = self.nodes[id]
        parent = node.parent or self.top
        before = self.active(parent)
        del self.nodes[id]
        parent.children.remove(node)
        self._shown_child_changed(parent, before)

    def point(self, id: str | None, pointer: str | None) -> None:
        """Which child that node wishes to show; the wish may be void."""
        node = self.find(id)
        before = self.active(node)
        node.pointer = pointer
        self._shown_child_changed(node, before)

    def sort_again(self, id: str, key: Key) -> None:
        """The same node with another place among its siblings."""
        node = self.nodes[id]
        parent = node.parent or self.top
        before = self.active(parent)
        node.key = key
        parent.children.sort(key=_key)
        self._shown_child_changed(parent, before)

    def active(self, node: Node) -> Node | None:
        """The child pointed at if it is one, else the newest; None at a leaf."""
        if node.pointer is not None:
            child = self.nodes.get(node.pointer)
            if child is not None and child.parent is node:
                return child
        return node.children[-1] if node.children else None

    def leaf(self, node: Node) -> Node:
        """Where the active path through that node ends."""
        if node is not self.top:
            return self._descend(node, inf)
        if self._leaf is None:
            self._leaf = self._descend(self.top, inf)
        return self._leaf

    def shows(self, node: Node) -> bool:
        """True if the node is on the active path."""
        return self._descend(self.top, node.depth) is node

    def up(self, node: Node) -> Iterator[Node]:
        """The node and those above it, the top left out."""
        at: Node | None = node
        while at is not None and at is not self.top:
            yield at
            at = at.parent

    def _descend(self, at: Node, depth: float) -> Node:
        """Down the active path to that depth, or to its leaf if that is nearer."""
        while at.depth < depth:
            further = self._step(at, depth)
            if further is None:
                return at
            at = further
        return at

    def _step(self, at: Node, depth: float) -> Node | None:
        """The longest remembered step that does not pass `depth`; None at a leaf."""
        for level in range(LEVELS - 1, -1, -1):
            if at.stretches[level].start is at and at.depth + STRIDE ** (level + 1) <= depth:
                further = self._end(at, level)
                if further is not None:
                    return further
        return self.active(at)

    def _end(self, start: Node, level: int) -> Node | None:
        """The end of the stretch that begins there; None if the path ends before."""
        if level < 0:
            return self.active(start)
        stretch = start.stretches[level]
        if stretch.end is None:
            at = start
            for _ in range(STRIDE):
                further = self._end(at, level - 1)
                if further is None:
                    return None
                at = further
            stretch.end = at
        return stretch.end

    def _shown_child_changed(self, node: Node, before: Node | None) -> None:
        after = self.active(node)
        if after is before:
            return
        for stretch in node.stretches:
            stretch.end = None
        self._leaf = after if before is None and node is self._leaf else None


def _key(node: Node) -> Key:
    return node.key
