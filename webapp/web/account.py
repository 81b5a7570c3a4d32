"""One's own password, and leaving on every device."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from webapp.errors import BadInput, NotFound, TooOften
from webapp.people.household import Visit
from webapp.web.access import current_visit, guest
from webapp.web.errors import status_of
from webapp.web.rendering import done, leave_for, page
from webapp.web.services import services

bp = Blueprint("account", __name__, url_prefix="/account")


@bp.get("")
def show() -> Response:
    visit = _visit()
    return page("account", me=visit.member, trouble="", saved=request.args.get("saved"))


@bp.post("/password")
def change() -> Response:
    visit, old = _visit(), request.form.get("old", "")
    try:
        services().household.change_password(visit, old, request.form.get("new", ""), guest())
    except (BadInput, TooOften) as error:
        status = status_of(error)
        return page("account", status=status, me=visit.member, trouble=str(error), saved=None)
    return done(url_for("account.show", saved="yes"))


@bp.post("/leaving")
def leave_everywhere() -> Response:
    services().household.sessions.end_all(_visit().member.id)
    return leave_for(url_for("door.ask"))


def _visit() -> Visit:
    visit = current_visit() if services().household.shared else None
    if visit is None:
        raise NotFound("Strata is not shared, so there are no passwords.", do="See Share.")
    return visit
