"""Where each message stands on a map of its whole thread: down is later, right is another version.

A spot is one box of the map. In a small thread it is one message; in a larger one a straight
stretch without a fork is folded into one spot, so that what is left to see are the forks. Costs
n steps: subtrees are put beside each other by their outlines, the smaller one is walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat.tree import Tree

UNFOLDED_UP_TO: Final = 60


@dataclass(frozen=True)
class Spot:
    """A box at column `x` and row `y`, each counted from 0. `ids` are its messages, oldest first.

    `parent` is the index of the spot above; `version` counts from 1 within `versions` and is that
    of the first message. Whether the shown path leads through it is `on_path`."""

    ids: tuple[str, ...]
    parent: int | None
    x: int
    y: int
    version: int
    versions: int
    on_path: bool


@dataclass(frozen=True)
class TreeMap:
    """Spots, parents before children, versions in their order; the size in columns and rows."""

    spots: tuple[Spot, ...]
    columns: int
    rows: int
    messages: int


@dataclass
class _Stretch:
    ids: list[str]
    parent: int | None
    version: int
    versions: int
    row: int


def tree_map(tree: Tree, leaf: str | None = None, *, unfolded: int = UNFOLDED_UP_TO) -> TreeMap:
    """The map of the whole thread; the path to `leaf` (None: the active one) is the shown one.

    Threads of more than `unfolded` messages have their straight stretches folded."""
    stretches = _stretches(tree, fold=len(tree) > unfolded)
    columns = _columns(stretches)
    left = min(columns, default=0)
    end = leaf if leaf is not None else tree.active_leaf()
    path = set(tree.path_to(end)) if end is not None else set()
    spots = tuple(
        Spot(
            tuple(each.ids),
            each.parent,
            column - left,
            each.row,
            each.version,
            each.versions,
            each.ids[0] in path,
        )
        for each, column in zip(stretches, columns, strict=True)
    )
    rows = max((each.row for each in stretches), default=-1) + 1
    return TreeMap(spots, max(columns, default=left - 1) - left + 1, rows, len(tree))


def _stretches(tree: Tree, *, fold: bool) -> list[_Stretch]:
    """Every message once, parents before children, versions in order."""
    found: list[_Stretch] = []
    waiting = _beginnings(tree.children(None), None, 0)
    while waiting:
        stretch = waiting.pop()
        children = tree.children(stretch.ids[0])
        while fold and len(children) == 1:
            stretch.ids.append(children[0])
            children = tree.children(children[0])
        waiting += _beginnings(children, len(found), stretch.row + 1)
        found.append(stretch)
    return found


def _beginnings(versions: Sequence[str], parent: int | None, row: int) -> list[_Stretch]:
    """Last version first, so that the first one is taken first from the end."""
    total = len(versions)
    return [
        _Stretch([id], parent, total - place, total, row)
        for place, id in enumerate(reversed(versions))
    ]


class _Outline:
    """The leftmost and rightmost column of each row of a subtree, the top row last.

    The lists hold columns less `from_left` and `from_right`, so that moving costs nothing."""

    __slots__ = ("from_left", "from_right", "left", "right")

    def __init__(self) -> None:
        self.left: list[int] = []
        self.right: list[int] = []
        self.from_left = self.from_right = 0

    def move(self, by: int) -> None:
        self.from_left += by
        self.from_right += by

    def crown(self) -> None:
        """One more row on top, with a single spot at column 0."""
        self.left.append(-self.from_left)
        self.right.append(-self.from_right)

    def take_beside(self, other: _Outline) -> int:
        """Put `other` as near as it goes to the right of this; returns how far it was moved."""
        shared = min(len(self.left), len(other.left))
        gaps = (self.right[-row] - other.left[-row] for row in range(1, shared + 1))
        by = max(gaps) + self.from_right - other.from_left + 1
        other.move(by)
        if len(other.left) > len(self.left):
            for row in range(1, shared + 1):
                other.left[-row] = self.left[-row] + self.from_left - other.from_left
            self.left, self.from_left = other.left, other.from_left
        if len(other.right) < len(self.right):
            for row in range(1, shared + 1):
                self.right[-row] = other.right[-row] + other.from_right - self.from_right
        else:
            self.right, self.from_right = other.right, other.from_right
        return by


def _columns(stretches: Sequence[_Stretch]) -> list[int]:
    """The column of each. A parent stands right above its longest continuation, so that a long
    conversation is one straight line whichever version is shown."""
    children: list[list[int]] = [[] for _ in stretches]
    roots: list[int] = []
    for place, stretch in enumerate(stretches):
        (roots if stretch.parent is None else children[stretch.parent]).append(place)
    shifts = [0] * len(stretches)
    lengths = [len(stretch.ids) for stretch in stretches]
    outlines: dict[int, _Outline] = {}
    for place in range(len(stretches) - 1, -1, -1):
        below = children[place]
        longest = max(below, key=lengths.__getitem__, default=None)
        lengths[place] += lengths[longest] if longest is not None else 0
        outlines[place] = _above(below, longest, outlines, shifts)
    _above(roots, max(roots, key=lengths.__getitem__, default=None), outlines, shifts)
    columns = shifts
    for place, stretch in enumerate(stretches):
        if stretch.parent is not None:
            columns[place] += columns[stretch.parent]
    return columns


def _above(
    children: list[int], longest: int | None, outlines: dict[int, _Outline], shifts: list[int]
) -> _Outline:
    """The outline of a parent right above `longest`; sets how far each child is shifted."""
    if longest is None:
        whole = _Outline()
        whole.crown()
        return whole
    whole = outlines.pop(children[0])
    for child in children[1:]:
        shifts[child] = whole.take_beside(outlines.pop(child))
    middle = shifts[longest]
    for child in children:
        shifts[child] -= middle
    whole.move(-middle)
    whole.crown()
    return whole
