"""What is done to one message besides reading it: edit, continue, delete, mark, fork; and undo.

Each act has a page of its own for browsers without a script, and a form that htmx puts in place.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp.web.access import may_do, owner_id
from webapp.web.after_act import acted, conversation, page_of
from webapp.web.forms import posted_text
from webapp.web.outlook import outlook_through
from webapp.web.rendering import done, fragment, leave_for, page
from webapp.web.services import services
from webapp.web.things import of_project

bp = Blueprint("editing", __name__, url_prefix="/threads/<thread_id>")

ONE = "/messages/<message_id>"
PAGES = {"edit": "Edit", "delete": "Delete", "mark": "Name this branch"}


@bp.get(f"{ONE}/acts")
def acts_page(thread_id: str, message_id: str) -> Response:
    values = _values(thread_id, message_id, "acts")
    return page("act", act="acts", heading="This message", **values)


@bp.get(f"{ONE}/acts/form")
def acts_panel(thread_id: str, message_id: str) -> str:
    return fragment("tree_acts", **_values(thread_id, message_id, "acts"))


@bp.get(f"{ONE}/<any(edit, delete, mark):act>")
def act_page(thread_id: str, message_id: str, act: str) -> Response:
    values = _values(thread_id, message_id, act)
    return page("act", act=act, heading=PAGES[act], **values)


@bp.get(f"{ONE}/<any(edit, delete, mark):act>/form")
def act_form(thread_id: str, message_id: str, act: str) -> str:
    return fragment(f"tree_{act}", **_values(thread_id, message_id, act))


@bp.get(ONE)
def message(thread_id: str, message_id: str) -> str:
    """The message as it stands in the conversation, after an edit that was not saved."""
    shown = services().library.shown(thread_id, message_id)
    seen = outlook_through(thread_id, message_id)
    return fragment("message", shown=shown, thread_id=thread_id, outlook=seen)


@bp.post(f"{ONE}/edits")
def edit(thread_id: str, message_id: str) -> Response:
    """A question gets an answer; an answer only other words."""
    made = services().generation.edit(thread_id, message_id, posted_text())
    version = str(made.parent_id) if made.status == "pending" else made.id
    return acted(thread_id, version, "Saved as a new version; the old one is kept.")


@bp.post(f"{ONE}/continuation")
def resume(thread_id: str, message_id: str) -> Response:
    """`place=here` lets the same message grow; else a new version begins with its words."""
    in_place = request.form.get("place") == "here"
    answer = services().generation.resume(thread_id, message_id, in_place=in_place)
    return done(page_of(thread_id, answer.id), lambda: conversation(thread_id))


@bp.post(f"{ONE}/deletion")
def delete(thread_id: str, message_id: str) -> Response:
    """`versions=all` takes the other versions of the message too."""
    every = request.form.get("versions") == "all"
    count = services().generation.delete(thread_id, message_id, all_versions=every)
    what = "1 message was deleted." if count == 1 else f"{count:,} messages were deleted."
    return acted(thread_id, message_id, what)


@bp.post("/undo")
def undo(thread_id: str) -> Response:
    message_id = request.form.get("message", "")
    what = services().generation.undo(thread_id, message_id)
    return acted(thread_id, message_id, f"Undone: {what[:1].lower()}{what[1:]}.", undo=False)


@bp.post(f"{ONE}/mark")
def mark(thread_id: str, message_id: str) -> Response:
    name, starred = request.form.get("name", ""), "starred" in request.form
    services().library.acts.mark(thread_id, message_id, name=name, starred=starred)
    return acted(thread_id, message_id, "Saved.")


@bp.post(f"{ONE}/fork")
def fork(thread_id: str, message_id: str) -> Response:
    project = services().library.membership.of(thread_id)
    stays = project is not None and may_do("write", of_project(project))
    acts = services().library.acts
    forked = acts.fork(thread_id, message_id, owner=owner_id(), in_project=stays)
    return leave_for(url_for("threads.show", thread_id=forked.id))


def _values(thread_id: str, message_id: str, act: str) -> dict[str, Any]:
    library = services().library
    values: dict[str, Any] = {
        "thread_id": thread_id,
        "shown": library.shown(thread_id, message_id),
    }
    if act == "delete":
        values["loss"] = library.acts.loss(thread_id, message_id)
    return values
