"""Who may do what: one pure function, asked for every request and for each row of a list.

A thing belongs to one person and is theirs alone until it is shared. The owner of the house looks
after people, settings and models; the threads of others are as closed to them as to anyone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Action = Literal["read", "write", "own"]
Right = Literal["read", "write"]
Kind = Literal["door", "lists", "house", "assistants", "thread", "project"]
ALL: Final = "all"


@dataclass(frozen=True)
class Member:
    """Who asks. `alone` is the one person of a Strata that is not shared."""

    id: str
    name: str = ""
    is_owner: bool = False
    alone: bool = False


@dataclass(frozen=True)
class Thing:
    """What is asked for. `owner` is a person's id, empty for the owner of the house, who also has
    what nobody else has; `shares` gives rights by a person's id, or to `ALL`. What is shared of
    `within`, the project of a thread, is shared of the thread too.

    Kinds: a door is open to anyone; lists to whoever is signed in, for they hold only what that
    person may read; the house (people, settings, models, imports) is its owner's; assistants are
    read by everyone and changed by that owner."""

    kind: Kind
    owner: str = ""
    shares: Mapping[str, Right] = field(default_factory=dict)
    within: Thing | None = None


ALONE: Final = Member("", is_owner=True, alone=True)


def may(member: Member | None, action: Action, thing: Thing) -> bool:
    """Whether `member` (None: nobody is signed in) may do it. To write includes to read; to own,
    which is to share, move and delete, includes both."""
    if thing.kind == "door":
        return True
    if member is None:
        return False
    if member.alone or thing.kind == "lists":
        return True
    if thing.kind == "house":
        return member.is_owner
    if thing.kind == "assistants":
        return member.is_owner or action == "read"
    return owns(member, thing) or _shared(member, action, thing)


def owns(member: Member, thing: Thing) -> bool:
    return member.id == thing.owner if thing.owner else member.is_owner


def is_shared(thing: Thing) -> bool:
    return bool(thing.shares) or (thing.within is not None and bool(thing.within.shares))


def _shared(member: Member, action: Action, thing: Thing) -> bool:
    """A right of one's own beside that of all adds to it: neither takes from the other."""
    if action == "own":
        return False
    enough = ("write",) if action == "write" else ("read", "write")
    if any(thing.shares.get(whose) in enough for whose in (member.id, ALL)):
        return True
    project = thing.within
    if project is None or not project.shares:
        # What lies in a private project stays its own owner's.
        return False
    return owns(member, project) or _shared(member, action, project)
