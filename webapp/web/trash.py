"""Threads in the trash: how long they stay, and emptying it now."""

from __future__ import annotations

import time

from flask import Blueprint, Response, request, url_for

from webapp.errors import BadInput
from webapp.threads.history import KEPT_MS
from webapp.threads.store import TrashedThread
from webapp.web.access import may_do
from webapp.web.rendering import leave_for, page
from webapp.web.services import services
from webapp.web.things import of_trashed

bp = Blueprint("trash", __name__, url_prefix="/trash")

_DAY_MS = 24 * 3600 * 1000


@bp.get("")
def show() -> Response:
    """`?gone=` says how many were just removed."""
    gone = request.args.get("gone", 0, type=int)
    return page("trash", trashed=_own(), gone=gone, days_left=days_left)


@bp.get("/emptying")
def ask() -> Response:
    """Says what would go, before anything does."""
    return page("emptying", trashed=_own())


@bp.post("/emptying")
def empty() -> Response:
    """Only what the question spoke of goes: `until` is the newest moment of deletion it counted."""
    until = request.form.get("until", type=int)
    if until is None:
        raise BadInput(
            "The request does not say what to delete.", do="Open the trash and empty it there."
        )
    count = services().library.empty_trash(until + 1, _is_own)
    services().documents.forget_deleted()
    return leave_for(url_for("trash.show", gone=count))


def _own() -> list[TrashedThread]:
    return [each for each in services().library.trash() if may_do("own", of_trashed(each))]


def _is_own(owner: str) -> bool:
    return may_do("own", of_trashed(TrashedThread("", "", 0, owner)))


def days_left(deleted_at: int, now_ms: int | None = None) -> str:
    """How long a thread deleted at that moment can still be restored, in words."""
    now = int(time.time() * 1000) if now_ms is None else now_ms
    left = -((now - deleted_at - KEPT_MS) // _DAY_MS)
    if left <= 0:
        return "Goes at the next start"
    return "1 day left" if left == 1 else f"{min(left, KEPT_MS // _DAY_MS)} days left"
