"""The plan of one request: which messages are sent, what each part costs, what is due.

Nothing is cut silently: every message of the path has a state, every token a row in the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from webapp.chat.arrangement import Arrangement, arranged
from webapp.chat.compaction import Due, due
from webapp.chat.facts import Facts
from webapp.chat.guard import refusal
from webapp.chat.ledger import Ledger
from webapp.chat.limits import Compacting, Limits
from webapp.chat.messages import Message, new_message
from webapp.chat.prompt import Part
from webapp.chat.reach import Trim
from webapp.chat.scales import Scales
from webapp.errors import BadInput

State = Literal["sent", "summarised", "left_out", "pinned", "muted", "skipped"]
"""*skipped*: never sent back, because it failed, is empty, unfinished, or a result without its
call. *pinned* messages are sent too."""

DRAFT_ID = "draft"
"""The id under which a plan with a draft knows it."""


@dataclass(frozen=True)
class Plan:
    """`parts` in order, a system part first if there is any. `window_start` is the id of the
    first message in the window: store it with the answer as `usage.window_start`, so that the
    next plan begins there too. `due` is what should be summarised; `notices` are sentences."""

    parts: tuple[Part, ...]
    states: Mapping[str, State]
    ledger: Ledger
    window_start: str
    due: Due | None = None
    refused: BadInput | None = None
    notices: tuple[str, ...] = ()
    messages: tuple[Message, ...] = field(default=(), repr=False)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Ids of what the window has no room for, oldest first."""
        return tuple(id for id, state in self.states.items() if state == "left_out")

    def check(self) -> None:
        """Raises BadInput with a sentence when there is nothing to answer."""
        if self.refused is not None:
            raise self.refused


def plan(
    path: Sequence[Message],
    scales: Scales,
    limits: Limits,
    *,
    instructions: str = "",
    retrieved: str = "",
    draft: str = "",
    trim: Trim = "steady",
    compact: Compacting = "off",
) -> Plan:
    """What to send for the end of this path, oldest first.

    `retrieved` is put before the newest question. `draft` is planned as a question that follows.
    Never above `limits.prompt` tokens unless the newest message alone is."""
    drafted = [*path, _draft(draft)] if draft.strip() else path
    facts = scales.facts(drafted)
    found = arranged(
        facts, scales, limits, instructions=instructions, retrieved=retrieved, trim=trim
    )
    return Plan(
        parts=found.parts,
        states=_states(facts, found),
        ledger=_ledger(found, scales, limits, bool(draft.strip())),
        window_start=_window_start(found),
        due=due(found, limits, compact),
        refused=refusal(facts, found),
        notices=found.notices,
        messages=tuple(each.message for group in found.groups for each in group.members),
    )


def _draft(text: str) -> Message:
    return new_message(id=DRAFT_ID, thread_id="", role="user", text=text, created_at=0)


def _window_start(found: Arrangement) -> str:
    """The first message that is sent for its place and not for its pin."""
    groups = (group for group in found.groups if group.start >= found.start or not group.pinned)
    first = next(groups, None)
    return first.members[0].id if first else ""


def _states(facts: Sequence[Facts], found: Arrangement) -> dict[str, State]:
    """In the order of the path."""
    states: dict[str, State] = {each.id: "left_out" if each.live else "skipped" for each in facts}
    for first, stop in found.summarised:
        states.update({each.id: "summarised" for each in facts[first:stop] if each.live})
    # What stands in the window and is not in a group is never sent: empty, or without its call.
    states.update({each.id: "skipped" for each in facts[found.start :]})
    for group in found.groups:
        for each in group.members:
            states[each.id] = "pinned" if each.pinned else "sent"
    special = (facts[place] for place in found.special)
    states.update({each.id: "muted" for each in special if each.muted})
    for group in found.unpinned:
        states.update({each.id: "left_out" for each in group.members})
    return states


def _ledger(found: Arrangement, scales: Scales, limits: Limits, drafted: bool) -> Ledger:
    pinned = history = inlined = draft = 0
    for group, cost in zip(found.groups, found.costs, strict=True):
        inlined += cost.files
        if drafted and group.members[0].id == DRAFT_ID:
            draft += cost.words
        elif group.pinned:
            pinned += cost.words
        else:
            history += cost.words
    ledger = Ledger(
        window=limits.window,
        system=scales.frame - scales.tools + found.system,
        tools=scales.tools,
        pinned=pinned,
        summary=found.summary,
        history=history,
        inlined=inlined,
        retrieved=found.retrieved,
        draft=draft,
        reserve=limits.reserve,
    )
    return ledger if found.exact is None else _settled(ledger, found.exact)


def _settled(ledger: Ledger, exact: int) -> Ledger:
    """The rows made to add up to what the finished request was counted as: joining turns saves
    a little of their frames."""
    more = exact - ledger.used
    for row in ("history", "system", "pinned", "inlined", "draft", "summary", "retrieved"):
        value = max(getattr(ledger, row) + more, 0)
        more -= value - getattr(ledger, row)
        ledger = replace(ledger, **{row: value})
        if not more:
            break
    return ledger
