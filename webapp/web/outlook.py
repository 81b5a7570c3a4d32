"""What a page says about the window: what is sent of the messages it shows, and what that costs.

Made once per request, for all messages of the page together.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from flask import g

from webapp.chat.messages import Message
from webapp.chat.summary import FAILED, SUMMARY, Line, Summary, failed_at, summary_at
from webapp.chat.window import DRAFT_ID, Plan
from webapp.threads.view import ThreadView
from webapp.web.ledger_bar import Bar, bar
from webapp.web.services import services

MOST_SOURCES: Final = 6
MARKS: Final = {
    "sent": ("Sent", "The model sees this message."),
    "pinned": ("Pinned", "Sent wherever the window begins."),
    "muted": ("Muted", "Never sent."),
    "summarised": ("Summarised", "Notes stand in for this message."),
    "left_out": ("Left out", "The window has no room for this message."),
    "skipped": ("Not sent", "Failed, empty or unfinished: the model does not see it."),
}


@dataclass(frozen=True)
class Mark:
    """What is shown beside one message; `state` names its looks."""

    state: str
    label: str
    meaning: str


@dataclass(frozen=True)
class Notes:
    """Notes as the page shows them, `count` being how many messages they stand for. `reason` says
    why there are none, when an attempt failed."""

    message_id: str
    summary: Summary | None
    count: int = 0
    places: Mapping[str, int] = field(default_factory=dict, repr=False)
    reason: str = ""

    def sources(self, line: Line) -> list[tuple[int, str]]:
        """(number on the path, id) of the first messages that a line comes from."""
        known = [(self.places[id], id) for id in line.message_ids if id in self.places]
        return known[:MOST_SOURCES]


@dataclass(frozen=True)
class Outlook:
    """`path` leads to the last message of the shown path; `writing`: notes are being made."""

    thread_id: str
    path: Sequence[Message] = field(repr=False)
    plan: Plan = field(repr=False)
    bar: Bar
    writing: bool
    drafted: bool

    @property
    def end(self) -> str:
        return self.path[-1].id if self.path else ""

    def mark(self, message: Message) -> Mark | None:
        """None for a message that is not on the path, or still being written."""
        state = self.plan.states.get(message.id)
        if state is None or message.status == "pending":
            return None
        label, meaning = MARKS[state]
        if state == "left_out" and message.metadata.get("pinned") is True:
            label = "Pinned, no room"
        return Mark(state, label, meaning)

    def notes(self, message: Message) -> Notes | None:
        """The notes that end at this message, if they are those in use, or why there are none."""
        return next((each for each in self._notes if each.message_id == message.id), None)

    @cached_property
    def counts(self) -> list[tuple[str, int]]:
        """(state, how many messages), of states that a reader may wonder about."""
        found = Counter(str(state) for id, state in self.plan.states.items() if id != DRAFT_ID)
        return [(state, found[state]) for state in MARKS if found[state] and state != "skipped"]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that are shown whether the table is open or not."""
        refused = str(self.plan.refused) if self.plan.refused and self.drafted else ""
        return tuple(filter(None, (refused, self.bar.warning, *self.plan.notices)))

    @property
    def left_out_first(self) -> str:
        """The oldest message that the window has no room for."""
        return next(iter(self.plan.left_out), "")

    @property
    def expects_notes(self) -> bool:
        """Notes may appear soon without anybody doing anything."""
        return self.writing or self.plan.due is not None

    def digest(self, shown: Sequence[Message]) -> str:
        """Changes whenever a mark or a card of these messages does."""
        told = [(each.id, self.mark(each), self.notes(each)) for each in shown]
        return hashlib.blake2b(
            repr(told).encode("utf-8", "backslashreplace"), digest_size=8
        ).hexdigest()

    @cached_property
    def _notes(self) -> tuple[Notes, ...]:
        """The last notes of the path, which hold what earlier ones said; and before them in this
        list a failure that came later, while its messages are still left out."""
        found: list[Notes] = []
        for message in reversed(self.path):
            metadata = message.metadata
            if FAILED not in metadata and SUMMARY not in metadata:
                continue
            if summary := summary_at(message):
                return (*found, self._notes_in_use(message.id, summary))
            if not found and failed_at(message) and self._is_left_out(message.id):
                found.append(Notes(message.id, None, reason=_reason(message)))
        return tuple(found)

    def _is_left_out(self, message_id: str) -> bool:
        return self.plan.states.get(message_id) == "left_out"

    def _notes_in_use(self, message_id: str, summary: Summary) -> Notes:
        count = sum(state == "summarised" for state in self.plan.states.values())
        linked = {id for line in summary.lines for id in line.message_ids}
        numbered = enumerate((each.id for each in self.path), start=1)
        places = {id: number for number, id in numbered if id in linked}
        return Notes(message_id, summary, count, places)


def outlook(thread_id: str, at: str | None = None, draft: str = "") -> Outlook:
    """The window of the path that ends at `at`, or of the active one."""
    window, summaries = services().generation.window, services().generation.summaries
    library = services().library
    plan = window.outlook(thread_id, at=at, draft=draft)
    thread = library.thread(thread_id)
    drawn = bar(
        plan.ledger,
        exact=window.is_exact(),
        compacting=window.compacting(thread),
        trims=window.limits(thread).prompt is not None,
    )
    writing = summaries.expected(thread_id)
    path = library.path(thread_id, at)
    return Outlook(thread_id, path, plan, drawn, writing, bool(draft.strip()))


def outlook_of(view: ThreadView) -> Outlook:
    """That of a page that shows `view`; made once while a request is answered."""
    made: dict[tuple[str, str | None], Outlook] = g.setdefault("outlooks", {})
    key = (view.thread.id, view.end)
    if key not in made:
        made[key] = outlook(*key)
    return made[key]


def outlook_through(thread_id: str, message_id: str) -> Outlook:
    """That of the path through a message."""
    return outlook_of(services().library.view(thread_id, at=message_id, limit=1))


def _reason(message: Message) -> str:
    found = message.metadata.get(FAILED)
    reason = found.get("reason") if isinstance(found, Mapping) else None
    return reason if isinstance(reason, str) else ""
