"""Notes that stand in for earlier messages: read, edited, put back, removed, asked for.

They belong to the message where they end; each change is an act on that message.
"""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint, Response, request

from webapp.chat.summary import (
    FAILED,
    Summary,
    amended,
    edited,
    kept_failure,
    kept_summary,
    removed,
    reverted,
    summary_at,
)
from webapp.chat.wording import checked_text
from webapp.errors import BadInput, Conflict, NotFound
from webapp.web.after_act import acted, page_of
from webapp.web.forms import posted_text
from webapp.web.outlook import outlook, outlook_through
from webapp.web.rendering import done, fragment, page
from webapp.web.services import services

bp = Blueprint("notes", __name__, url_prefix="/threads/<thread_id>")

ONE = "/messages/<message_id>/notes"
NONE_WANTED = "You removed the notes; these messages are left out without them."


@bp.get(ONE)
def show(thread_id: str, message_id: str) -> Response:
    """The notes to be edited, on a page of their own."""
    shown = services().library.shown(thread_id, message_id)
    summary = _summary(thread_id, message_id)
    return page(
        "act",
        act="notes",
        heading="Edit the notes",
        thread_id=thread_id,
        shown=shown,
        notes=summary,
    )


@bp.get(f"{ONE}/form")
def form(thread_id: str, message_id: str) -> str:
    return fragment("tree_notes", **_values(thread_id, message_id))


@bp.get(f"{ONE}/card")
def card(thread_id: str, message_id: str) -> str:
    """The notes as they stand in the conversation, after an edit that was not saved."""
    message = services().library.message(thread_id, message_id)
    seen = outlook_through(thread_id, message_id)
    return fragment("message_notes", thread_id=thread_id, message=message, outlook=seen, oob=False)


@bp.post(ONE)
def edit(thread_id: str, message_id: str) -> Response:
    """Notes may have grown while somebody edited them: the change is made in what they became."""
    read = _summary(thread_id, message_id)
    made = edited(read, checked_text(posted_text()))
    if not made.lines:
        raise BadInput("Notes need at least one line.", do="Write one, or remove the notes.")
    at, newest = _newest(thread_id, message_id, read)
    made = amended(newest, read, made) if at != message_id else made
    return _kept(thread_id, at, made, "Edited the notes")


@bp.post(f"{ONE}/original")
def revert(thread_id: str, message_id: str) -> Response:
    made = reverted(_summary(thread_id, message_id))
    return _kept(thread_id, message_id, made, "Put back the model's notes")


@bp.post(f"{ONE}/removal")
def remove(thread_id: str, message_id: str) -> Response:
    """It is remembered that none are wanted here, or the next answer would bring them back."""
    _summary(thread_id, message_id)
    facts = removed() | kept_failure(NONE_WANTED, time.time_ns() // 1_000_000, "")
    services().library.marks.keep(thread_id, message_id, facts, what="Removed the notes")
    return acted(thread_id, message_id, "The notes were removed.")


@bp.post(f"{ONE}/again")
def again(thread_id: str, message_id: str) -> Response:
    """Forget that an attempt failed, and try once more."""
    library, summaries = services().library, services().generation.summaries
    end = library.view(thread_id, at=message_id, limit=1).end
    library.marks.keep(thread_id, message_id, {FAILED: None})
    return _asked(thread_id, message_id, begun=summaries.write(thread_id, end))


@bp.post("/notes")
def write(thread_id: str) -> Response:
    """Make notes now on what the window has no room for; `after` is the end of the path."""
    at = request.form.get("after") or outlook(thread_id).end
    begun = services().generation.summaries.write(thread_id, at)
    return _asked(thread_id, at, begun=begun)


def _values(thread_id: str, message_id: str) -> dict[str, Any]:
    shown = services().library.shown(thread_id, message_id)
    return {"thread_id": thread_id, "shown": shown, "notes": _summary(thread_id, message_id)}


def _asked(thread_id: str, at: str, *, begun: bool) -> Response:
    if not begun:
        raise Conflict(
            "There is nothing to take notes on: everything that can be sent is sent.",
            do="Carry on; notes are offered when messages are left out.",
        )
    notice = "Notes are being written; they appear here when they are done."
    return done(page_of(thread_id, at), lambda: fragment("notice", what=notice, do="", kind=""))


def _newest(thread_id: str, message_id: str, known: Summary) -> tuple[str, Summary]:
    """The last notes of the path through a message, and the message where they end."""
    library = services().library
    end = library.view(thread_id, at=message_id, limit=1).end
    for message in reversed(library.path(thread_id, end)):
        if (found := summary_at(message)) is not None:
            return message.id, found
    return message_id, known


def _summary(thread_id: str, message_id: str) -> Summary:
    found = summary_at(services().library.message(thread_id, message_id))
    if found is None:
        raise NotFound("The notes are no longer here.", do="Reload the page to see what is there.")
    return found


def _kept(thread_id: str, message_id: str, summary: Summary, what: str) -> Response:
    facts = kept_summary(summary)
    services().library.marks.keep(thread_id, message_id, facts, what=what)
    return acted(thread_id, message_id, f"{what}.")
