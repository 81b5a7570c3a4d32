"""The plain rule of what stays in a window: from the newest backwards while there is room."""

from __future__ import annotations

from collections.abc import Iterable


def kept(newest_first: Iterable[int], budget: int) -> int:
    """How many of the newest to keep, given what each costs, the newest first.

    The walk stops at the first that would pass the budget, and asks for no cost beyond it; the
    newest always stays, whatever it costs and also when the budget is zero or less."""
    count = spent = 0
    for cost in newest_first:
        if count and spent + cost > budget:
            break
        spent += cost
        count += 1
    return count
