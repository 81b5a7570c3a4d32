"""The owner's page of a shared Strata: people, codes, sessions, and who did what."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Response, request, url_for
from markupsafe import Markup

from webapp.errors import NotFound
from webapp.people.household import Household
from webapp.people.person import Person
from webapp.people.secret_words import shown_code
from webapp.web.access import owner_id
from webapp.web.devices import device_words
from webapp.web.guard import LOOPBACK, host_name
from webapp.web.own_names import own_urls
from webapp.web.qr_code import as_svg, join_url
from webapp.web.rendering import done, page
from webapp.web.services import services

bp = Blueprint("share", __name__, url_prefix="/share")

LINES = 100

bp.add_app_template_filter(device_words)


@bp.get("")
def show() -> Response:
    return _shown()


@bp.post("/codes")
def invite() -> Response:
    """A one-time code, shown this once: for somebody new, or for the person of the field."""
    return _shown(shown_code(_household().register.invite(request.form.get("person", ""))))


@bp.post("/access-code")
def renew() -> Response:
    _household().register.new_access_code()
    return done(url_for("share.show"))


@bp.post("/closing")
def close() -> Response:
    """No code that was given out is good any more."""
    _household().register.drop_access_code()
    _household().register.drop_codes()
    return done(url_for("share.show"))


@bp.post("/sessions/<session_id>/end")
def end(session_id: str) -> Response:
    _household().sessions.end(session_id)
    return done(url_for("share.show"))


@bp.get("/people/<person_id>/removal")
def ask_removal(person_id: str) -> Response:
    return page("person_removal", person=_person(person_id))


@bp.post("/people/<person_id>/removal")
def remove(person_id: str) -> Response:
    _household().remove(person_id)
    return done(url_for("share.show"))


def _shown(code: str = "") -> Response:
    household = services().household
    if not household.shared:
        return page("share_off")
    roll = household.register.roll()
    code_shown = shown_code(roll.access_code) if roll.access_code else ""
    return page(
        "share",
        people=[each for each in roll.people if each.name],
        names={each.id: each.name for each in roll.people},
        sessions=household.sessions.of(),
        lines=household.audit.latest(LINES),
        access_code=code_shown,
        code=code,
        address=_address(),
        picture=_picture(code or code_shown),
        certificate=services().certificate,
        me=owner_id(),
    )


def _address() -> str:
    """As others reach it: who looks from the own machine sees an address that only that has."""
    if host_name(request.host) not in LOOPBACK:
        return request.host_url.rstrip("/")
    found = own_urls(request.scheme, int(urlsplit(request.host_url).port or 80))
    return found[0] if found else request.host_url.rstrip("/")


def _picture(code: str) -> Markup | str:
    return as_svg(join_url(_address(), code), "Address to join, with the code") if code else ""


def _household() -> Household:
    household = services().household
    if not household.shared:
        raise NotFound("Strata is not shared.", do="Start it with --lan first.")
    return household


def _person(person_id: str) -> Person:
    person = _household().register.roll().person(person_id)
    if person is None or person.is_owner:
        raise NotFound("There is no such person here.", do="Go back to Share.")
    return person
