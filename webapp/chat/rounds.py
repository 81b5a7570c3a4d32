"""How often a model may call before it must answer, and what each of its calls gets.

A round is one reply of the model with calls in it. Every call gets exactly one result: it is run,
or a sentence says why not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat.called import Called

MOST_ROUNDS: Final = 6
MOST_AT_ONCE: Final = 8

AGAIN: Final = "This call was made before, its result stands above. Use it, or answer now."
TOO_MANY: Final = "These are too many calls at once; this one was not run. Use the results above."
NO_MORE: Final = "No more calls are possible. Answer now, in words."


@dataclass(frozen=True)
class Step:
    """What is to be done for one call: run it, or give it `sentence` as its result."""

    called: Called
    sentence: str = ""

    @property
    def runs(self) -> bool:
        return not self.sentence


class Rounds:
    """Of one answer. Once it `must_answer`, the model is to be asked without tools."""

    def __init__(self, most: int = MOST_ROUNDS, at_once: int = MOST_AT_ONCE) -> None:
        self._left = most
        self._at_once = at_once
        self._known: set[str] = set()

    @property
    def must_answer(self) -> bool:
        return self._left <= 0

    def take(self, calls: Sequence[Called]) -> tuple[Step, ...]:
        """One step for each of the calls of a reply, in their order. A reply without calls is no
        round."""
        over = self.must_answer
        self._left -= bool(calls)
        return tuple(
            Step(called, NO_MORE if over else self._sentence(called, order))
            for order, called in enumerate(calls)
        )

    def _sentence(self, called: Called, order: int) -> str:
        key = json.dumps([called.name, called.arguments], sort_keys=True, default=str)
        if called.problem:
            return called.problem
        if key in self._known:
            return AGAIN
        if order >= self._at_once:
            return TOO_MANY
        self._known.add(key)
        return ""
