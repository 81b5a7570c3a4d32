"""Whether a thread may use what its project gives: files and instructions."""

from __future__ import annotations

from webapp.chat.messages import Thread
from webapp.people.household import Household
from webapp.people.permission import Member, Thing, may
from webapp.threads.ownership import owner_in, shares_in
from webapp.threads.projects import Project


def reaches(house: Household, thread: Thread, project: Project) -> bool:
    """As long as the thread's owner may read the project. Raises Damaged or StorageFailed when it
    cannot be known."""
    if not house.shared:
        return True
    roll = house.register.roll()
    # What was a person's who is gone, or nobody's, is the owner's.
    person = roll.person(owner_in(thread.metadata)) or roll.owner()
    if person is None:
        return False
    whose = roll.person(owner_in(project.data))
    thing = Thing("project", whose.id if whose else "", shares_in(project.data))
    return may(Member(person.id, person.name, person.is_owner), "read", thing)
