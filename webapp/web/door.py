"""The door of a shared Strata: sign in, join with a code, sign out."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, request, url_for

from webapp.errors import BadInput, Conflict, Forbidden, StrataError, TooOften
from webapp.people.sessions import OLD_MS
from webapp.web.access import cookie_name, current_visit, guest
from webapp.web.errors import status_of
from webapp.web.home import own_path
from webapp.web.rendering import page
from webapp.web.services import services

bp = Blueprint("door", __name__)


@bp.get("/login")
def ask() -> Response:
    """`?to=` is where to go on."""
    return page("login", name="", to=request.args.get("to", ""), trouble="")


@bp.post("/login")
def enter() -> Response:
    name, to = request.form.get("name", ""), request.form.get("to", "")
    try:
        token = services().household.sign_in(name, request.form.get("password", ""), guest())
    except (Forbidden, TooOften) as error:
        return _refused("login", error, name=name, to=to)
    return _let_in(token, own_path(to))


@bp.get("/join")
def ask_code() -> Response:
    """`?code=` fills in the code of a link."""
    return page("join", name="", code=request.args.get("code", ""), trouble="")


@bp.post("/join")
def join() -> Response:
    name, code = request.form.get("name", ""), request.form.get("code", "")
    try:
        token = services().household.join(code, name, request.form.get("password", ""), guest())
    except (Forbidden, TooOften, BadInput, Conflict) as error:
        return _refused("join", error, name=name, code=code)
    return _let_in(token, url_for("home.start"))


@bp.post("/logout")
def leave() -> Response:
    household, visit = services().household, current_visit() if _shared() else None
    if visit is not None:
        household.sign_out(visit)
    answer = _sent_to(url_for("door.ask") if _shared() else url_for("home.start"))
    answer.delete_cookie(cookie_name(), secure=request.is_secure)
    return answer


def _shared() -> bool:
    return services().household.shared


def _refused(template: str, error: StrataError, **typed: str) -> Response:
    """What was typed stands there again, but for the password."""
    answer = page(template, status=status_of(error), trouble=str(error), **typed)
    if isinstance(error, TooOften):
        answer.headers["Retry-After"] = str(error.seconds)
    return answer


def _let_in(token: str, to: str) -> Response:
    answer = _sent_to(to)
    age = OLD_MS // 1000
    secure = request.is_secure
    answer.set_cookie(
        cookie_name(), token, max_age=age, httponly=True, samesite="Lax", secure=secure
    )
    return answer


def _sent_to(url: str) -> Response:
    return Response(status=303, headers={"Location": redirect(url).location})
