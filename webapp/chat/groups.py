"""What stays or goes together: a message, or an answer's calls with all their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webapp.chat.facts import Facts
from webapp.chat.prompt import Part, said


class Group(NamedTuple):
    """`facts[start:stop]` of a path; `members` are those of them that are sent."""

    start: int
    stop: int
    members: tuple[Facts, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        if len(self.members) == 1:
            return self.members[0].alone
        answered = {member.result_of for member in self.members[1:]}
        return tuple(part for each in self.members for part in said(each.message, answered))

    @property
    def pinned(self) -> bool:
        return any(member.pinned for member in self.members)


def group_at(facts: Sequence[Facts], place: int) -> Group:
    """The group that the message at `place` belongs to. A result without its call has no
    members: no template and no server takes one."""
    one = facts[place]
    if one.role != "tool" and not one.calls:
        return Group(place, place + 1, (one,) if one.live and one.alone else ())
    head = place
    while head >= 0 and facts[head].role == "tool":
        head -= 1
    stop = place + 1
    while stop < len(facts) and facts[stop].role == "tool":
        stop += 1
    if head < 0 or not facts[head].calls or not facts[head].live:
        return Group(head + 1, stop, ()) if head < place else Group(place, place + 1, ())
    return Group(head, stop, _answering(facts[head], facts[head + 1 : stop]))


def backwards(facts: Sequence[Facts], floor: int) -> Iterator[Group]:
    """Groups with members, the newest first, down to the one that holds `floor`."""
    place = len(facts) - 1
    while place >= floor:
        group = group_at(facts, place)
        if group.members:
            yield group
        place = group.start - 1


def forwards(facts: Sequence[Facts], start: int) -> Iterator[Group]:
    """Groups with members from `start` to the end of the path."""
    place = start
    while place < len(facts):
        group = group_at(facts, place)
        if group.members:
            yield group
        place = group.stop


def _answering(head: Facts, results: Sequence[Facts]) -> tuple[Facts, ...]:
    """The call and its results, each once; without any, the call's own words if it has some."""
    first: dict[str, Facts] = {}
    for each in results:
        if each.live and each.result_of in head.calls:
            first.setdefault(each.result_of, each)
    if not first and not head.alone:
        return ()
    return (head, *first.values())
