"""Where the window begins: the spec's walk, or one whose beginning rests for many turns.

A model that has read a prompt reads only what follows its unchanged beginning, so a beginning
that moves at each turn costs reading everything at each turn.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from typing import Final, Literal

from webapp.chat.facts import Facts
from webapp.chat.groups import Group, backwards
from webapp.chat.scales import Scales
from webapp.chat.walk import kept

Trim = Literal["steady", "exact"]
"""*exact*: as much as there is room for. *steady*: when full, down to a share of the room, from a
question on; then no move until it is full again."""

AFTER_TRIMMING: Final = 0.7
TOO_EMPTY: Final = 0.5


class Reach:
    """The walkable messages of a path: all from `floor` on except the groups in `apart`, which
    are sent whatever the walk says. The newest group is never apart."""

    def __init__(
        self, facts: Sequence[Facts], scales: Scales, floor: int, apart: Container[int]
    ) -> None:
        self._facts = facts
        self._scales = scales
        self._floor = floor
        self._apart = apart

    def exact(self, room: int) -> int:
        """The spec's beginning for that many tokens."""
        starts: list[int] = []
        count = kept(self._costs(starts), room)
        return self._floor if count == len(starts) else starts[count - 1]

    def steady(self, room: int, begun: int | None) -> int:
        """The beginning, resting at `begun` while that fits."""
        first = self._from_question(self._floor)
        rest = first if begun is None else max(self._from_question(begun), first)
        spent = self.spent(rest, room)
        if spent <= room and (rest == first or spent >= room * TOO_EMPTY):
            return rest
        walked = self.shortened(math.floor(room * AFTER_TRIMMING))
        return min(walked, rest) if spent <= room else walked

    def shortened(self, room: int) -> int:
        """The spec's beginning for that many tokens, moved on to a question."""
        return self._from_question(self.exact(room))

    def _from_question(self, start: int) -> int:
        """The first question from `start` on; `start` when there is none, or nothing before."""
        for place in range(start, len(self._facts) if start else 0):
            if is_question(self._facts[place]):
                return place
        return start

    def spent(self, start: int, most: int) -> int:
        """What all from `start` on costs; it is not added up beyond `most`."""
        spent = 0
        for group in self._groups(start):
            spent += self._scales.cost(group).whole
            if spent > most:
                break
        return spent

    def _costs(self, starts: list[int]) -> Iterator[int]:
        """Costs, the newest first; notes where each group that was asked for begins."""
        for group in self._groups(self._floor):
            starts.append(group.start)
            yield self._scales.cost(group).whole

    def _groups(self, floor: int) -> Iterator[Group]:
        return (each for each in backwards(self._facts, floor) if each.start not in self._apart)


def is_question(facts: Facts) -> bool:
    return facts.role == "user" and facts.live and bool(facts.alone)
