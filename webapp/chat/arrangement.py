"""What of a path goes into a request, in which order, and within how many tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import attrgetter
from typing import Final

from webapp.chat.facts import Facts
from webapp.chat.groups import Group, backwards, forwards, group_at
from webapp.chat.limits import Limits
from webapp.chat.prompt import Part, joined
from webapp.chat.reach import Reach, Trim, is_question
from webapp.chat.scales import Cost, Scales
from webapp.chat.summary import Summary, sent_text

OPENING: Final = "(Earlier messages are not shown.)"
"""Stands before an answer that would come first: many templates want a question there."""
TRIES: Final = 12


@dataclass(frozen=True)
class Arrangement:
    """Places are indexes into the path: all from `start` on is in the window, `floor` is the first
    one that no summary covers, `special` are those with a pin, a mute or a record, `summarised`
    are (first, stop) pairs. `groups` are sent, in order, for their `costs`; `unpinned` are pins
    without room. `room` is what may be spent on messages that are not pinned, None for no limit,
    and `spent` what is; `exact` is the count of the finished request."""

    facts: Sequence[Facts] = field(repr=False)
    parts: tuple[Part, ...] = ()
    groups: tuple[Group, ...] = ()
    costs: tuple[Cost, ...] = ()
    start: int = 0
    floor: int = 0
    special: tuple[int, ...] = ()
    summarised: tuple[tuple[int, int], ...] = ()
    unpinned: tuple[Group, ...] = ()
    earlier: Summary | None = None
    reach: Reach | None = None
    room: int | None = None
    spent: int = 0
    system: int = 0
    summary: int = 0
    retrieved: int = 0
    exact: int | None = None
    notices: tuple[str, ...] = ()


def arranged(
    facts: Sequence[Facts],
    scales: Scales,
    limits: Limits,
    *,
    instructions: str,
    retrieved: str,
    trim: Trim,
) -> Arrangement:
    """Counts the finished request, and once more for each time it has to be made smaller."""
    return _Arranging(
        facts, scales, limits, instructions=instructions, retrieved=retrieved, trim=trim
    ).best()


class _Arranging:
    """One plan on its way: what does not depend on where the window begins is found out once."""

    def __init__(
        self,
        facts: Sequence[Facts],
        scales: Scales,
        limits: Limits,
        *,
        instructions: str,
        retrieved: str,
        trim: Trim,
    ) -> None:
        self._facts = facts
        self._scales = scales
        self._most = limits.prompt
        self._instructions = instructions if instructions.strip() else ""
        self._retrieved = retrieved if retrieved.strip() else ""
        self._trim = trim
        self._special = tuple(compress(range(len(facts)), map(attrgetter("special"), facts)))
        self._newest = next(backwards(facts, 0), None)
        self._anchor = self._newest_question() if trim == "steady" else None

    def best(self) -> Arrangement:
        fixed = self._fixed()
        found = self._around(fixed, fixed.room)
        for _ in range(TRIES):
            if self._most is None or found.exact is None or found.exact <= self._most:
                break
            if self._newest is None or found.start >= self._newest.start or found.room is None:
                break
            # From what was spent, so that at least one group goes each time.
            found = self._around(fixed, found.spent - (found.exact - self._most))
        return found

    # --- what is sent wherever the window begins ---

    def _fixed(self) -> Arrangement:
        """Instructions, summary and pins, as far as the newest message leaves them room."""
        scales = self._scales
        system = scales.lead(self._instructions)
        retrieved = scales.text(self._retrieved)
        room = None if self._most is None else self._most - scales.frame - system - retrieved
        fixed = Arrangement(
            self._facts, special=self._special, room=room, system=system, retrieved=retrieved
        )
        return self._with_pins(self._with_summary(fixed))

    def _with_summary(self, fixed: Arrangement) -> Arrangement:
        place = next((at for at in reversed(self._special) if self._facts[at].summary), None)
        summary = self._facts[place].summary if place is not None else None
        text = self._summary_text(summary)
        if place is None or summary is None or not text:
            return fixed
        cost = self._scales.lead(self._lead(text)) - fixed.system
        if fixed.room is not None and cost + self._always() > fixed.room:
            notice = "The summary of earlier messages has no room in the window."
            return replace(fixed, notices=(*fixed.notices, notice))
        return replace(
            fixed,
            earlier=summary,
            summary=cost,
            floor=place + 1,
            summarised=self._places(summary, place),
            room=None if fixed.room is None else fixed.room - cost,
        )

    def _with_pins(self, fixed: Arrangement) -> Arrangement:
        """Pins are taken from the newest on; one that does not fit is left out, and told."""
        pins: list[Group] = []
        refused: list[Group] = []
        room = fixed.room
        for group in self._pinned():
            cost = self._scales.cost(group).whole
            if room is None or cost + self._always() <= room:
                pins.append(group)
                room = None if room is None else room - cost
            else:
                refused.append(group)
        notices = fixed.notices
        if refused:
            which = "A pinned message has" if len(refused) == 1 else "Some pinned messages have"
            notices = (*notices, f"{which} no room in the window.")
        return replace(
            fixed, groups=tuple(pins), unpinned=tuple(refused), room=room, notices=notices
        )

    def _pinned(self) -> list[Group]:
        """Groups with a pin, newest first, but those that are sent anyway."""
        groups: dict[int, Group] = {}
        for place in reversed(self._special):
            if self._facts[place].pinned:
                group = group_at(self._facts, place)
                if group.pinned and group not in (self._newest, self._anchor):
                    groups[group.start] = group
        return list(groups.values())

    def _newest_question(self) -> Group | None:
        """It stays while its answer calls tools again and again; None when it is the newest."""
        places = range(len(self._facts) - 1, -1, -1)
        place = next((at for at in places if is_question(self._facts[at])), None)
        if place is None or self._newest is None or place == self._newest.start:
            return None
        return group_at(self._facts, place)

    def _always(self) -> int:
        """What the newest message and its question cost."""
        return sum(self._cost(each) for each in (self._newest, self._anchor) if each)

    def _places(self, summary: Summary, end: int) -> tuple[tuple[int, int], ...]:
        at = {each.id: place for place, each in enumerate(self._facts[: end + 1])}
        spans = [(at.get(first), at.get(last)) for first, last in summary.spans]
        # An end that is not on this path was deleted since: the span goes as far as it is known.
        return tuple((first or 0, (end if last is None else last) + 1) for first, last in spans)

    # --- where the window begins ---

    def _around(self, fixed: Arrangement, room: int | None) -> Arrangement:
        """The arrangement whose walked messages have at most `room` tokens."""
        apart = {group.start for group in (*fixed.groups, *fixed.unpinned)}
        anchor = self._anchor
        held = self._cost(anchor) if anchor else 0
        still = {*apart, anchor.start} if anchor else apart
        reach = Reach(self._facts, self._scales, fixed.floor, still)
        start = self._start(reach, None if room is None else room - held, fixed.floor)
        sent = self._sent(fixed, start)
        parts = self._parts(sent, self._summary_text(fixed.earlier))
        costs = tuple([self._scales.cost(group) for group in sent])
        pairs = zip(sent, costs, strict=True)
        return replace(
            fixed,
            parts=parts,
            groups=sent,
            costs=costs,
            start=start,
            reach=reach,
            room=room,
            spent=sum(cost.whole for group, cost in pairs if group.start not in apart),
            exact=self._scales.exact(parts),
        )

    def _sent(self, fixed: Arrangement, start: int) -> tuple[Group, ...]:
        refused = {group.start for group in fixed.unpinned}
        groups = {group.start: group for group in forwards(self._facts, start)}
        groups.update({group.start: group for group in fixed.groups})
        if self._anchor is not None:
            groups[self._anchor.start] = self._anchor
        return tuple(groups[at] for at in sorted(groups) if at not in refused)

    def _start(self, reach: Reach, room: int | None, floor: int) -> int:
        if room is None:
            return floor
        return reach.exact(room) if self._trim == "exact" else reach.steady(room, self._begun())

    def _begun(self) -> int | None:
        """Where the window of the newest answer that tells began."""
        told = (each.window_start for each in reversed(self._facts) if each.window_start)
        wanted = next(told, "")
        if not wanted:
            return None
        places = range(len(self._facts) - 1, -1, -1)
        return next((at for at in places if self._facts[at].id == wanted), None)

    def _cost(self, group: Group) -> int:
        return self._scales.cost(group).whole

    # --- the request ---

    def _parts(self, groups: Sequence[Group], summary: str) -> tuple[Part, ...]:
        said = [part for group in groups for part in group.parts]
        # Imported threads may hold the instructions as a message, too.
        told = dict.fromkeys(text.strip() for role, text in said if role == "system")
        told.pop(self._instructions.strip(), None)
        lead = "\n\n".join(filter(None, [self._lead(summary), *told]))
        spoken = [part for part in said if part[0] != "system"]
        if self._retrieved:
            spoken = _before_question(spoken, self._retrieved)
        if self._trim == "steady" and spoken and spoken[0][0] != "user":
            spoken.insert(0, ("user", OPENING))
        return (*([("system", lead)] if lead else []), *joined(spoken))

    def _lead(self, summary: str) -> str:
        return "\n\n".join(filter(None, [self._instructions, summary]))

    def _summary_text(self, summary: Summary | None) -> str:
        if summary is None:
            return ""
        special = (self._facts[at] for at in self._special)
        return sent_text(summary, {each.id for each in special if each.muted})


def _before_question(parts: Sequence[Part], retrieved: str) -> list[Part]:
    """The passages joined to the newest question, before its words."""
    places = [at for at, (role, _) in enumerate(parts) if role == "user"]
    if not places:
        return list(parts)
    at = places[-1]
    return [*parts[:at], ("user", f"{retrieved}\n\n{parts[at][1]}"), *parts[at + 1 :]]
