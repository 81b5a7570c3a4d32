"""Who calls, and whether they may: after the checks of the guard, before any route.

A Strata that is not shared has one person, and nothing is looked up. On a shared one every request
and socket needs a session, from the own machine too: an address can be that of a proxy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from flask import Flask, Response, g, redirect, request, url_for

from webapp.errors import Forbidden, NotAllowed, NotFound, StrataError
from webapp.generation.asker import ask_for
from webapp.people.household import Guest, Visit
from webapp.people.permission import ALONE, Action, Member, Thing, may
from webapp.web.permissions import RULES
from webapp.web.services import services
from webapp.web.things import thing_at

LOOK_AGAIN_SECONDS = 1.0
_Row = TypeVar("_Row")


def install(app: Flask) -> None:
    app.before_request(check)
    app.after_request(note)
    app.jinja_env.globals.update(current_member=current_member)


def check() -> Response | None:
    """Raises Forbidden or NotFound; sends who is not signed in to the door."""
    ask_for("")
    if not services().household.shared:
        return None
    rule = RULES.get(request.endpoint or "")
    if rule is not None and rule.whose == "door":
        return None
    if current_member() is None:
        return _to_the_door()
    ask_for(owner_id())
    if request.endpoint is None:
        return None  # there is nothing at this address
    if rule is None:
        raise Forbidden("Nobody has said who may use this address.", do="Go to the start page.")
    args = request.view_args or {}
    thing = thing_at(rule.whose, args.get("thread_id", ""), args.get("project_id", ""))
    require(rule.action, thing)
    return None


def note(response: Response) -> Response:
    """Who changed what, for the owner to read; never what it holds."""
    household, member = services().household, g.get("member")
    if household.shared and member is not None and request.method == "POST":
        args = request.view_args or {}
        thing = args.get("thread_id") or args.get("project_id") or args.get("person_id") or ""
        refused = "" if response.status_code < 400 else f" ({response.status_code})"
        rule = RULES.get(request.endpoint or "")
        if rule is not None and rule.whose != "door":
            household.audit.note(member.id, f"{request.endpoint}{refused}", thing, guest().address)
    return response


def current_member() -> Member | None:
    if not services().household.shared:
        return ALONE
    if "member" not in g:
        visit = current_visit()
        g.member = visit.member if visit else None
    member: Member | None = g.member
    return member


def current_visit() -> Visit | None:
    """Raises Forbidden when it cannot be known who calls."""
    try:
        return services().household.visit(token())
    except StrataError as error:
        raise Forbidden(error.what, do=error.do) from error


def owner_id() -> str:
    """Whose a thing is that is made now."""
    member = current_member()
    return member.id if member else ""


def may_do(action: Action, thing: Thing) -> bool:
    return may(current_member(), action, thing)


def require(action: Action, thing: Thing) -> None:
    """What may not be read is not there, so that nobody learns of it."""
    if may_do(action, thing):
        return
    if thing.kind in ("thread", "project") and not may_do("read", thing):
        kind = thing.kind
        raise NotFound(f"There is no such {kind}.", do="Choose one from the list.")
    raise NotAllowed("Only its owner may do that.", do="Ask them.")


def readable(rows: Iterable[_Row], thing_of: Callable[[_Row], Thing]) -> list[_Row]:
    """Those that who calls may read."""
    member = current_member()
    if member is not None and member.alone:
        return list(rows)
    return [row for row in rows if may(member, "read", thing_of(row))]


def still_allowed() -> Callable[[], bool]:
    """For a socket: whether its reader may still read, looked at once in a while."""
    if not services().household.shared:
        return lambda: True
    due = time.monotonic() + LOOK_AGAIN_SECONDS

    def look() -> bool:
        nonlocal due
        if time.monotonic() < due:
            return True
        due = time.monotonic() + LOOK_AGAIN_SECONDS
        for name in ("member", "people_known", "projects_known"):
            g.pop(name, None)
        try:
            return check() is None
        except StrataError:
            return False

    return look


def guest() -> Guest:
    device = request.headers.get("User-Agent", "")
    return Guest(request.remote_addr or "", device, token())


def token() -> str:
    return request.cookies.get(cookie_name(), "")


def cookie_name() -> str:
    """With the port: browsers give the cookies of one port of a machine to all others. Over TLS
    a browser takes one of this name only from this host, and sends it nowhere in the clear."""
    _, _, port = request.host.rpartition(":")
    name = f"strata_session_{port if port.isdecimal() else 'web'}"
    return f"__Host-{name}" if request.is_secure else name


def _to_the_door() -> Response:
    if request.method == "GET" and request.headers.get("HX-Request") != "true" and not _socket():
        answer = redirect(url_for("door.ask", to=request.full_path.rstrip("?")), 303)
        return Response(status=303, headers={"Location": answer.location})
    # htmx goes on to the door, a program reads the sentence.
    headers = {"HX-Redirect": url_for("door.ask")}
    return Response("Sign in first.\n", 401, headers, mimetype="text/plain")


def _socket() -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"
