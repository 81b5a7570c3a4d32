"""Everything that is one's own, as one zip: chosen here, streamed, and watched meanwhile."""

from __future__ import annotations

from datetime import date
from typing import Final

from flask import Blueprint, Response, request

from webapp.archives.everything import FORMS, everything
from webapp.archives.stock import Stock, made_assistants
from webapp.chat.messages import Thread
from webapp.errors import BadInput
from webapp.people.permission import owns
from webapp.threads.projects import DamagedProject, Project
from webapp.threads.store import DamagedThread
from webapp.web.access import current_member, owner_id
from webapp.web.rendering import fragment, page
from webapp.web.services import services
from webapp.web.things import of_project, of_thread

bp = Blueprint("taking_along", __name__, url_prefix="/export")

_TITLES: Final = {
    "json": ("JSON", "everything that is kept, without loss; Strata can import it again"),
    "shown": ("Markdown, as shown", "a text for each thread, with the versions you look at"),
    "versions": ("Markdown, all versions", "the same with every version of everything"),
    "jan": ("Jan’s folder", "threads and assistants as Jan keeps them"),
}


@bp.get("")
def show() -> Response:
    threads, projects = len(_own_threads()), len(_own_projects())
    export = services().exports.latest(owner_id())
    return page("everything", threads=threads, projects=projects, forms=_TITLES, export=export)


@bp.get("/file")
def file() -> Response:
    """`?as=` is one of `FORMS`; `?files=yes` with the files of threads and projects."""
    form = next((each for each in FORMS if each == request.args.get("as", "json")), None)
    if form is None:
        raise BadInput("There is no such format.", do="Choose one on the export page.")
    if request.method == "HEAD":
        return Response(mimetype="application/zip")
    with_files, stock = request.args.get("files") == "yes", _stock()
    pieces = services().exports.watched(
        owner_id(), lambda heard: everything(stock, form, with_files=with_files, heard=heard)
    )
    response = Response(pieces, mimetype="application/zip")
    name = f"strata-{form}-{date.today():%Y-%m-%d}.zip"
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response


@bp.get("/progress")
def progress() -> str:
    return fragment("export_progress", export=services().exports.latest(owner_id()))


# --- inside ---


def _stock() -> Stock:
    rooms = services()
    assistants, unread = made_assistants(rooms.settings.data)
    own = _own_projects()
    unread += [each.problem for each in own if isinstance(each, DamagedProject)]
    return Stock(
        _own_threads(),
        rooms.library.acts.whole,
        rooms.settings.data,
        [each for each in own if isinstance(each, Project)],
        assistants,
        unread,
    )


def _own_threads() -> list[Thread | DamagedThread]:
    member = current_member()
    rows = services().library.threads()
    return [row for row in rows if member and (member.alone or owns(member, of_thread(row)))]


def _own_projects() -> list[Project | DamagedProject]:
    member = current_member()
    rows = services().projects.all()
    return [row for row in rows if member and (member.alone or owns(member, of_project(row)))]
