"""What was done in a thread lately, with an undo for each; and the thread as it was."""

from __future__ import annotations

import re
from datetime import datetime

from flask import Blueprint, Response, request, url_for

from webapp.errors import BadInput
from webapp.moments import moment
from webapp.threads.past import grouped
from webapp.web.rendering import LISTED, leave_for, page
from webapp.web.services import services

bp = Blueprint("changes", __name__, url_prefix="/threads/<thread_id>")


@bp.get("/changes")
def recent(thread_id: str) -> Response:
    """Newest first, `LISTED` at a time; `?from=` counts from 0, `?undone=` names what an undo
    took back."""
    library = services().library
    thread = library.view(thread_id, limit=1).thread
    changes = library.past.changes(thread_id)
    start = min(max(0, request.args.get("from", 0, type=int)), len(changes))
    return page(
        "changes",
        thread=thread,
        thread_id=thread_id,
        groups=grouped(changes[start : start + LISTED]),
        start=start,
        more=start + LISTED < len(changes),
        undone=[change for change in changes if change.id == request.args.get("undone")],
    )


@bp.post("/changes/<change_id>/undo")
def undo(thread_id: str, change_id: str) -> Response:
    """The whole page is due again: the act may have been a new title or a mark in the list."""
    services().library.past.undo(thread_id, change_id)
    return leave_for(url_for("changes.recent", thread_id=thread_id, undone=change_id))


@bp.get("/as-of")
def as_of(thread_id: str) -> Response:
    """The thread at `?at=`, in milliseconds since 1970 or as day and time; `?before=` an older
    part of it."""
    library, at = services().library, milliseconds(request.args.get("at", ""))
    before = request.args.get("before") or None
    view = library.past.as_of(thread_id, at, before=before)
    now = library.view(thread_id, limit=1).thread
    return page("as_of", thread=now, thread_id=thread_id, view=view, at=at, when=to_the_second(at))


def milliseconds(written: str) -> int:
    """Raises BadInput. A day and time without a zone are this machine's."""
    if re.fullmatch("[0-9]{1,15}", written):
        return int(written)
    try:
        return int(datetime.fromisoformat(written).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise BadInput(
            "That is not a moment that can be read.",
            do="Choose a day and a time under Recent changes.",
        ) from None


def to_the_second(at: int) -> str:
    when = moment(at)
    return f"{when.day} {when:%B %Y, %H:%M:%S}" if when else ""
