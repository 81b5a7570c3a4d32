"""The tree's share of append, edit and switch: in 100,000 messages against 100, in one run."""

import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter

from webapp.chat.branching import Tree, edit, reply, switch
from webapp.chat.messages import Message, new_message
from webapp.chat.records import Decision

SMALL, LARGE, ROUNDS = 100, 100_000, 300
WINDOW = 40


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, target), one row for each act."""
    small, large = conversation(SMALL), conversation(LARGE)
    return [row(what, act, small, large) for what, act in ACTS]


def row(
    what: str, act: Callable[[Tree, int], None], small: Tree, large: Tree
) -> tuple[str, str, str]:
    least, most = measured(act, small), measured(act, large)
    figures = f"{most / least:.2f} ({most * 1e6:.0f} µs / {least * 1e6:.0f} µs)"
    return f"tree: {what} and show {WINDOW}, {LARGE:,} messages / {SMALL}", figures, "<= 1.5"


def measured(act: Callable[[Tree, int], None], tree: Tree) -> float:
    """Median seconds. The collector rests: it walks all objects alive, whatever act is timed."""
    times = []
    gc.collect()
    gc.disable()
    try:
        for number in range(ROUNDS):
            start = perf_counter()
            act(tree, number)
            tree.tail(tree.active_leaf(), WINDOW)
            times.append(perf_counter() - start)
    finally:
        gc.enable()
    return median(times)


def conversation(length: int) -> Tree:
    """One long branch, and a second first question to switch to."""
    ids = [None, *(f"m{number}" for number in range(length))]
    pairs = zip(ids[1:], ids, strict=False)
    return Tree([*(said(str(id), parent) for id, parent in pairs), said("other", None)])


def said(id: str, parent: str | None) -> Message:
    link = {"parentId": parent}
    return new_message(id=id, thread_id="t", role="user", text="words", created_at=1, metadata=link)


def follow(tree: Tree, decision: Decision) -> None:
    tree.apply(decision.records)
    if decision.active_root:
        tree.set_active_root(decision.active_root.message_id)


def append(tree: Tree, number: int) -> None:
    follow(tree, reply(tree, said(f"append-{number}", tree.active_leaf())))


def edit_last(tree: Tree, number: int) -> None:
    leaf = tree.active_leaf() or ""
    follow(tree, edit(tree, leaf, f"edit-{number}", 2, "other words")[1])


def switch_at_the_top(tree: Tree, number: int) -> None:
    follow(tree, switch(tree, ("m0", "other")[number % 2]))


def switch_in_the_middle(tree: Tree, number: int) -> None:
    """A version beside the fiftieth message, then back; all that follows changes."""
    if "beside" not in tree:
        follow(tree, edit(tree, "m50", "beside", 2, "other words")[1])
    follow(tree, switch(tree, ("m50", "beside")[number % 2]))


ACTS = (
    ("append", append),
    ("edit", edit_last),
    ("switch at the top", switch_at_the_top),
    ("switch at message 50", switch_in_the_middle),
)
