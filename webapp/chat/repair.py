"""Where every message of a thread hangs, whatever its file says: always a forest, nothing lost.

The rules, in this order (file order is the order of first appearance):

1. *Legacy*: the messages before the first one with a `parentId` are a straight line.
2. *Rings* of parents are cut at their earliest message, which then counts as lost.
3. *Lost*: a parent that is not there. Messages that share a lost parent stay versions of each
   other and hang on the message before the first of them (as roots, if that one is a root). A
   question without any `parentId` after the legacy line hangs on the message before it.
4. *Detached*: an answer without a parent (absent or null) hangs on the nearest earlier question.
   If the thread begins with an answer, later answers with null are versions of that beginning.
5. Questions that hang on the same question as a detached answer move under that answer.

A message whose new place would be below itself stays a root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from webapp.chat.messages import ABSENT, Absent, Message


@dataclass
class Places:
    """The outcome. `parents` has every message, in file order; None is a root.

    `line` is the legacy line. `repairs` are new parents that should be written, in an order of
    which every beginning leads to the same places, where parents stand before their children in
    the file. Where they do not (a file put together by hand), a beginning may group messages in
    another way; nothing is lost by it, and the whole of it leads here. `awaited` are lost parents;
    one that appears changes the tree. `uncertain`: any rule after the first was needed. `placeless`
    counts the messages that name a parent and cannot hang on it."""

    parents: dict[str, str | None]
    line: list[str]
    repairs: dict[str, str] = field(default_factory=dict)
    awaited: frozenset[str] = frozenset()
    uncertain: bool = False
    placeless: int = 0


class Row(NamedTuple):
    """What the rules look at; reading it once keeps large threads quick."""

    id: str
    role: str
    stated: str | Absent | None


def place(messages: Sequence[Message]) -> Places:
    """Decide every parent; costs n log n at most. Ids must be unique."""
    rows = [Row(message.id, message.role, message.parent_id) for message in messages]
    line = [row.id for row in takewhile(lambda row: row.stated is ABSENT, rows)]
    branched = rows[len(line) :]
    known = {row.id for row in rows}
    detached = _detached(rows, branched)
    lost = {
        # What those that hang together share; without any parent a message shares with nobody.
        row.id: row.stated if isinstance(row.stated, str) else row.id
        for row in branched
        if row.stated is not None and row.stated not in known and row.id not in detached
    }
    parents: dict[str, str | None] = dict(zip(line, [None, *line], strict=False))
    for row in branched:
        loose = row.id in detached or row.id in lost or not isinstance(row.stated, str)
        parents[row.id] = None if loose else str(row.stated)
    named = sum(isinstance(row.stated, str) for row in branched if row.id in lost)
    cut = _cut_rings(parents)
    lost.update(zip(cut, cut, strict=True))
    places = Places(parents, line, placeless=named + len(cut))
    if lost or detached:
        places.awaited = frozenset(lost.values())
        places.uncertain = True
        places.repairs = _repair(rows, messages, parents, lost, detached)
    return places


def _repair(
    rows: Sequence[Row],
    messages: Sequence[Message],
    parents: dict[str, str | None],
    lost: dict[str, str],
    detached: set[str],
) -> dict[str, str]:
    """Hang what is loose into `parents`; returns the new parents in the order of writing."""
    hung = _hang(rows, parents, lost, detached)
    moved = _move_questions(messages, parents, detached.intersection(hung))
    # Moves go first: an answer that is found attached no longer tells which questions to move.
    # The rest goes last to first: the first message with a lost parent says where all hang.
    order = (*moved, *reversed(hung))
    return {id: parent for id in order if (parent := parents[id]) is not None}


def _detached(rows: Sequence[Row], branched: Sequence[Row]) -> set[str]:
    trusted = _begins_with_an_answer(rows)
    return {
        row.id
        for row in branched
        if row.role == "assistant"
        and (row.stated is ABSENT or (row.stated is None and not trusted))
    }


def _begins_with_an_answer(rows: Sequence[Row]) -> bool:
    for row in rows:
        if row.role == "user":
            return False
        if row.role == "assistant" and row.stated is None:
            return True
    return False


def _cut_rings(parents: dict[str, str | None]) -> list[str]:
    """Make one message of each ring a root: the earliest. Returns those."""
    order = {id: position for position, id in enumerate(parents)}
    walked_from: dict[str, str] = {}
    cut = []
    for start in parents:
        at: str | None = start
        while at is not None and at not in walked_from:
            walked_from[at] = start
            at = parents[at]
        if at is not None and walked_from[at] == start:
            earliest = min(_ring(parents, at), key=order.__getitem__)
            parents[earliest] = None
            cut.append(earliest)
    return cut


def _ring(parents: dict[str, str | None], member: str) -> list[str]:
    ring = [member]
    at = parents[member]
    while at is not None and at != member:
        ring.append(at)
        at = parents[at]
    return ring


def _hang(
    rows: Sequence[Row],
    parents: dict[str, str | None],
    lost: dict[str, str],
    detached: set[str],
) -> list[str]:
    """Give loose messages a parent, first to last; returns those that got one."""
    above = dict(parents)
    homes: dict[str, str | None] = {}
    hung: list[str] = []
    before: str | None = None
    question: str | None = None
    for row in rows:
        targets: list[str | None] = []
        if row.id in detached:
            targets = [question]
        elif row.id in lost:
            home = homes.get(lost[row.id], before)
            targets = [home, before] if home else []
        target = next((to for to in targets if to and _root(above, to) != row.id), None)
        if row.id in lost:
            homes.setdefault(lost[row.id], target)
        if target:
            parents[row.id] = above[row.id] = target
            hung.append(row.id)
        before = row.id
        question = row.id if row.role == "user" else question
    return hung


def _root(above: dict[str, str | None], id: str) -> str:
    """The root over `id`. Shortens the way for the next call, so `above` is not the parents."""
    way = [id]
    while (higher := above[way[-1]]) is not None:
        way.append(higher)
    for lower in way[:-1]:
        above[lower] = way[-1]
    return way[-1]


def _move_questions(
    messages: Sequence[Message], parents: dict[str, str | None], answers: set[str]
) -> list[str]:
    """Rule 5; of several answers the newest, which is the one shown."""
    newest: dict[str | None, Message] = {}
    for message in messages if answers else ():
        turn = parents[message.id]
        rival = newest.get(turn, message)
        if message.id in answers and message.created_at >= rival.created_at:
            newest[turn] = message
    moved = []
    for message in messages if newest else ():
        answer = newest.get(parents[message.id])
        if message.role == "user" and answer is not None:
            parents[message.id] = answer.id
            moved.append(message.id)
    return moved
