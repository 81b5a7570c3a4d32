"""What requests are about, as `may` asks for it. Looked up once while a request is answered."""

from __future__ import annotations

from flask import g

from webapp.chat.messages import Thread
from webapp.errors import Damaged, NotFound, StrataError
from webapp.people.permission import Thing
from webapp.threads.ownership import owner_in, shares_in
from webapp.threads.projects import DamagedProject, Project, project_id_of
from webapp.threads.store import DamagedThread, TrashedThread
from webapp.web.permissions import Whose
from webapp.web.services import services


def thing_at(whose: Whose, thread_id: str, project_id: str) -> Thing:
    """By the ids in an address. Raises NotFound for one that is not there."""
    match whose:
        case "thread":
            return of_thread(services().library.thread(thread_id))
        case "project":
            return _project_at(project_id)
        case "trashed":
            return of_trashed(_trashed_at(thread_id))
        case _:
            return Thing(whose)


def of_thread(thread: Thread | DamagedThread) -> Thing:
    """One that cannot be read is the owner's to mend."""
    if isinstance(thread, DamagedThread):
        return Thing("thread")
    owner = _known(owner_in(thread.metadata))
    return Thing("thread", owner, shares_in(thread.metadata), _within(thread))


def of_project(project: Project | DamagedProject) -> Thing:
    if isinstance(project, DamagedProject):
        return Thing("project")
    return Thing("project", _known(owner_in(project.data)), shares_in(project.data))


def of_trashed(thread: TrashedThread) -> Thing:
    return Thing("thread", _known(thread.owner))


# --- inside ---


def _known(owner: str) -> str:
    """Nobody for who was removed: what was theirs is the owner's."""
    if "people_known" not in g:
        g.people_known = {each.id for each in services().household.register.roll().people}
    return owner if owner in g.people_known else ""


def _within(thread: Thread) -> Thing | None:
    wanted = project_id_of(thread)
    if wanted is None:
        return None
    known: dict[str, Thing | None] = g.setdefault("projects_known", {})
    if wanted not in known:
        try:
            known[wanted] = of_project(services().projects.project(wanted))
        except StrataError:
            known[wanted] = None
    return known[wanted]


def _project_at(project_id: str) -> Thing:
    try:
        return of_project(services().projects.project(project_id))
    except Damaged:
        return Thing("project")


def _trashed_at(thread_id: str) -> TrashedThread:
    found = next((each for each in services().library.trash() if each.id == thread_id), None)
    if found is None:
        raise NotFound("There is no such thread in the trash.", do="Reload the page.")
    return found
