"""Projects: the list, one project with its threads and files, threads moved in and out."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, Response, g, request, url_for

from webapp.chat.messages import Thread
from webapp.chat.wording import checked_text
from webapp.errors import BadInput, Damaged, NotFound, StrataError
from webapp.threads.projects import DamagedProject, Project, project_id_of
from webapp.web.access import may_do, owner_id, readable, require
from webapp.web.assistants import asked_for
from webapp.web.documents import shown_of
from webapp.web.file_owners import project_owner
from webapp.web.forms import posted_text
from webapp.web.rendering import LISTED, done, leave_for, page
from webapp.web.services import services
from webapp.web.things import of_project, of_thread

bp = Blueprint("projects", __name__)

BESIDE = 6  # so many are listed beside every page


@bp.get("/projects")
def all_of_them() -> Response:
    return page("projects", typed={}, trouble="", gone=request.args.get("gone", ""))


@bp.post("/projects")
def make() -> Response:
    typed = _typed()
    try:
        made = services().projects.make(**typed, owner=owner_id())
    except BadInput as error:
        return page("projects", status=422, typed=typed, trouble=str(error), gone="")
    return done(url_for("projects.show", project_id=made.id))


@bp.get("/projects/<project_id>")
def show(project_id: str) -> Response:
    """One that is damaged can be given its words anew."""
    try:
        return _shown(services().projects.project(project_id))
    except Damaged as error:
        return _unreadable(project_id, {}, str(error))


@bp.post("/projects/<project_id>")
def change(project_id: str) -> Response:
    typed = _typed()
    try:
        services().projects.change(project_id, **typed)
    except BadInput as error:
        return _refused(project_id, typed, str(error))
    return done(url_for("projects.show", project_id=project_id, saved="yes"))


@bp.post("/projects/<project_id>/threads")
def begin(project_id: str) -> Response:
    """A new thread of the project from its first question."""
    project, text = services().projects.project(project_id), checked_text(posted_text())
    thread = services().library.create(text, asked_for(), project_id=project.id, owner=owner_id())
    services().generation.ask(thread.id, text)
    return leave_for(url_for("threads.show", thread_id=thread.id))


@bp.post("/projects/<project_id>/members")
def add(project_id: str) -> Response:
    """The thread of the field `thread` is moved into it."""
    project, thread_id = services().projects.project(project_id), request.form.get("thread", "")
    if not thread_id:
        raise BadInput("No thread was chosen.", do="Choose one from the list, then add it.")
    require("own", of_thread(services().library.thread(thread_id)))
    services().library.membership.move(thread_id, project)
    return done(url_for("projects.show", project_id=project_id, _anchor="threads"))


@bp.post("/projects/<project_id>/members/<thread_id>/removal")
def take_out(project_id: str, thread_id: str) -> Response:
    """The thread stays, in no project; one that is in another by now stays there."""
    if project_id_of(services().library.thread(thread_id)) == project_id:
        services().library.membership.move(thread_id, None)
    return done(url_for("projects.show", project_id=project_id, _anchor="threads"))


@bp.get("/projects/<project_id>/removal")
def ask_removal(project_id: str) -> Response:
    threads = services().library.membership.threads(project_id)
    name, files = _name(project_id), _count_files(project_id)
    return page("project_removal", id=project_id, name=name, threads=len(threads), files=files)


@bp.post("/projects/<project_id>/removal")
def remove(project_id: str) -> Response:
    """Its files go for good, with their passages; its threads stay."""
    documents, name = services().documents, _name(project_id)
    with documents.leaving(documents.project(project_id)):
        services().projects.delete(project_id)
    services().library.membership.disband(project_id)
    return done(url_for("projects.all_of_them", gone=name))


@bp.post("/threads/<thread_id>/project")
def move(thread_id: str) -> Response:
    """Into the project of the field `project`, or out of its own when that is empty."""
    wanted = request.form.get("project", "")
    project = services().projects.project(wanted) if wanted else None
    if project is not None:
        require("write", of_project(project))
    services().library.membership.move(thread_id, project)
    return done(url_for("threads.show", thread_id=thread_id))


@bp.app_template_filter()
def project_of(thread_id: str) -> Project | None:
    """The one of a thread, for who may read it."""
    project = services().library.membership.of(thread_id)
    return project if project is not None and may_do("read", of_project(project)) else None


@bp.app_context_processor
def listed() -> dict[str, object]:
    return {"all_projects": all_projects, "projects_beside": BESIDE}


bp.add_app_template_test(lambda row: isinstance(row, DamagedProject), "damaged_project")


@bp.app_template_test()
def takes_threads(row: Project | DamagedProject) -> bool:
    """Whether who calls may move a thread of theirs into it."""
    return isinstance(row, Project) and may_do("write", of_project(row))


def all_projects() -> Sequence[Project | DamagedProject]:
    """Looked at once while a request is answered; none where the list cannot be read."""
    if "projects" not in g:
        try:
            g.projects = readable(services().projects.all(), of_project)
        except StrataError:
            g.projects = []
    found: Sequence[Project | DamagedProject] = g.projects
    return found


# --- inside ---


def _typed() -> dict[str, str]:
    return {name: request.form.get(name, "") for name in ("name", "instructions")}


def _shown(project: Project, trouble: str = "", **typed: str) -> Response:
    owner = project_owner(project)
    rows = readable(services().library.threads(), of_thread)
    inside = [row for row in rows if project_id_of(row) == project.id]
    threads = [row for row in rows if isinstance(row, Thread) and may_do("own", of_thread(row))]
    others = [row for row in threads if project_id_of(row) != project.id]
    words = typed or {"name": project.name, "instructions": project.instructions}
    return page(
        "project",
        status=422 if trouble else 200,
        project=project,
        owner=owner,
        shown=shown_of(owner),
        threads=inside,
        others=others[:LISTED],
        typed=words,
        trouble=trouble,
    )


def _unreadable(project_id: str, typed: dict[str, str], trouble: str) -> Response:
    return page("project_damaged", status=409, id=project_id, typed=typed, trouble=trouble)


def _refused(project_id: str, typed: dict[str, str], trouble: str) -> Response:
    try:
        return _shown(services().projects.project(project_id), trouble, **typed)
    except Damaged:
        return _unreadable(project_id, typed, trouble)


def _name(project_id: str) -> str:
    """Its name, or its id where the name is lost. NotFound when it is not there."""
    try:
        return services().projects.project(project_id).name
    except Damaged:
        return project_id


def _count_files(project_id: str) -> int:
    """Also those that cannot be listed do not keep it from being deleted."""
    try:
        return len(services().documents.status(services().documents.project(project_id)))
    except NotFound:
        raise
    except StrataError:
        return 0
