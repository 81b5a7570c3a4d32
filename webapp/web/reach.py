"""What an answer in a thread may use beside the thread: what its project gives, files and
instructions, and other threads of the same person."""

from __future__ import annotations

from collections.abc import Callable

from webapp.chat.messages import Thread
from webapp.errors import StrataError
from webapp.people.household import Household
from webapp.people.permission import Member, Thing, is_shared, may
from webapp.people.person import Roll
from webapp.threads.ownership import owner_in, shares_in
from webapp.threads.projects import Project, Projects, project_id_of


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


def kin(house: Household, projects: Projects, thread: Thread) -> Callable[[Thread], bool] | None:
    """Says which other threads are of the same person; None when others may read this one, or
    when that cannot be known. It holds while Strata is not shared, too: it may be later."""
    try:
        roll = house.register.roll()
        project = _project_of(projects, thread)
    except StrataError:
        return None
    within = Thing("project", shares=shares_in(project.data)) if project else None
    if is_shared(Thing("thread", shares=shares_in(thread.metadata), within=within)):
        return None
    mine = _person(roll, thread)
    return lambda other: _person(roll, other) == mine


def _project_of(projects: Projects, thread: Thread) -> Project | None:
    wanted = project_id_of(thread)
    return projects.project(wanted) if wanted else None


def _person(roll: Roll, thread: Thread) -> str:
    """Who has it; nobody's are the owner's."""
    person = roll.person(owner_in(thread.metadata)) or roll.owner()
    return person.id if person else ""
