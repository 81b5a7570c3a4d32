"""Who asked a question, as whoever reads it calls them: You, or by a name."""

from __future__ import annotations

from typing import Final

from flask import g

from webapp.chat.authors import asked_by
from webapp.chat.messages import Message, is_id
from webapp.errors import StrataError
from webapp.people.person import Roll
from webapp.threads.ownership import owner_in
from webapp.web.access import current_member
from webapp.web.services import services

YOU: Final = "You"
GONE: Final = "Somebody who left"


def asker_name(message: Message) -> str:
    return another_asked(message) or YOU


def another_asked(message: Message) -> str:
    """The name of whoever asked, if it was somebody else; empty for who reads. A question that does
    not say is its thread's owner's."""
    member, who = current_member(), asked_by(message)
    if member is None or (member.alone and not who):
        return ""
    roll = _roll()
    owner = roll.owner()
    house = owner.id if owner else ""
    who = who or _owner_of_thread(message.thread_id) or house
    if who == (house if member.alone else member.id) or not roll.people:
        return ""
    person = roll.person(who)
    return person.name if person and person.name else GONE


def _roll() -> Roll:
    """Looked at once while a request is answered. One that cannot be read hides no thread."""
    if "askers" not in g:
        try:
            g.askers = services().household.register.roll()
        except StrataError:
            g.askers = Roll()
    found: Roll = g.askers
    return found


def _owner_of_thread(thread_id: str) -> str:
    known: dict[str, str] = g.setdefault("thread_owners", {})
    if thread_id not in known:
        known[thread_id] = _owner(thread_id) if is_id(thread_id) else ""
    return known[thread_id]


def _owner(thread_id: str) -> str:
    try:
        return owner_in(services().library.thread(thread_id).metadata)
    except StrataError:
        return ""
