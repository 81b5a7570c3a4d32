"""What of a conversation fits into the model's window. Pure: counting tokens is an argument.

A window that begins elsewhere each turn makes the model read everything again, so the beginning
stays where it is until the window is full, and then moves on by a large step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from webapp.chat.prompt import Part

AFTER_TRIMMING = 0.7
"""Share of the budget that is filled again after trimming."""

Count = Callable[[Sequence[Part]], int]


def budget(context: int, output: int) -> int:
    """Tokens for the prompt in a window of `context`, of which `output` are kept for the answer;
    at most half of it, so that a small window still holds a question."""
    return context - min(output, context // 2)


def first_sent(parts: Sequence[Part], begun: int, most: int, count: Count) -> int:
    """How many of the oldest parts (instructions aside) to leave out so that the rest has at
    most `most` tokens.

    `begun` is where the window began for the last answer; it stays there while that fits. The
    window always begins with a question, and the newest question is always in it: when that
    alone is too long, it is for the engine to say so. Counts `log(turns)` times."""
    lead, said = _parted(parts)
    questions = [place for place, (role, _) in enumerate(said) if role == "user"]
    if not questions:
        return 0
    later = [place for place in questions if place >= max(begun, 1)]
    starts = (later if begun else [0, *later]) or questions[-1:]
    if count([*lead, *said[starts[0] :]]) <= most:
        return starts[0]
    target = math.floor(most * AFTER_TRIMMING)
    low, high = 1, len(starts) - 1
    while low < high:
        middle = (low + high) // 2
        if count([*lead, *said[starts[middle] :]]) <= target:
            high = middle
        else:
            low = middle + 1
    return starts[-1] if high < 1 else starts[high]


def without(parts: Sequence[Part], left_out: int) -> list[Part]:
    """The request without that many of its oldest parts; instructions always stay."""
    lead, said = _parted(parts)
    return [*lead, *said[left_out:]]


def _parted(parts: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    lead = 1 if parts and parts[0][0] == "system" else 0
    return list(parts[:lead]), list(parts[lead:])
