"""With whom a thread or a project is shared: its owner says, on a page of its own."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp.errors import BadInput
from webapp.people.permission import ALL
from webapp.threads.ownership import Right, shares_in
from webapp.web.access import current_member
from webapp.web.rendering import done, page
from webapp.web.services import services

bp = Blueprint("sharing", __name__, url_prefix="/threads/<thread_id>/sharing")

RIGHTS: dict[str, Right] = {"read": "read", "write": "write"}


@bp.get("")
def show(**whose: Any) -> Response:
    seen = _seen(whose)
    return page("sharing", people=_others(), saved=request.args.get("saved"), **seen)


@bp.post("")
def share(**whose: Any) -> Response:
    """Fields `all` and `person-<id>`: read, write, or empty for nothing."""
    chosen = {ALL: request.form.get(ALL, "")}
    chosen |= {each: request.form.get(f"person-{each}", "") for each, _ in _others()}
    if not set(chosen.values()) <= {"", *RIGHTS}:
        raise BadInput("That is not a way to share.", do="Choose read, write, or nothing.")
    shares = {who: RIGHTS[right] for who, right in chosen.items() if right}
    if "project_id" in whose:
        services().projects.share(whose["project_id"], shares)
    else:
        services().library.sharing.share(whose["thread_id"], shares)
    return done(url_for(f"{request.blueprint}.show", saved="yes", **whose))


def _seen(whose: dict[str, Any]) -> dict[str, Any]:
    if "project_id" in whose:
        project = services().projects.project(whose["project_id"])
        home = url_for("projects.show", **whose)
        return {"title": project.name, "home": home, "shares": shares_in(project.data)}
    thread = services().library.thread(whose["thread_id"])
    home = url_for("threads.show", **whose)
    title = thread.title or "Untitled"
    return {"title": title, "home": home, "shares": shares_in(thread.metadata)}


def _others() -> list[tuple[str, str]]:
    """Ids and names of everybody else who has come in."""
    if not services().household.shared:
        return []
    me, roll = current_member(), services().household.register.roll()
    return [(each.id, each.name) for each in roll.people if each.name and each.id != (me and me.id)]
