"""Threads: the list, one thread, its name, to the trash and back."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from webapp.chat.wording import checked_text
from webapp.web.access import owner_id, readable
from webapp.web.after_act import moved_told
from webapp.web.assistants import asked_for
from webapp.web.attaching import posted_files
from webapp.web.beginning import begun
from webapp.web.forms import LARGEST_FORM_BYTES, posted_text
from webapp.web.rendering import LISTED, done, fragment, leave_for, page
from webapp.web.services import services
from webapp.web.things import of_thread
from webapp.web.windows import above_given, window_asked

bp = Blueprint("threads", __name__)


@bp.get("/threads")
def all_threads() -> Response:
    """Every thread, `LISTED` at a time; `?from=` counts from 0."""
    rows = readable(services().library.threads(), of_thread)
    start = min(max(0, request.args.get("from", 0, type=int)), len(rows))
    return page("threads", shown=rows[start : start + LISTED], start=start, total=len(rows))


@bp.post("/threads")
def begin() -> Response:
    """A new thread from its first question, with the answer on its way. The files that a form
    brought along are attached first."""
    if files := posted_files(LARGEST_FORM_BYTES):
        return begun(files, request.form.get("text", ""), ask=True)
    text = checked_text(posted_text())
    services().generation.refuse_too_many()
    thread = services().library.create(text, asked_for(), owner=owner_id())
    services().generation.ask(thread.id, text)
    return leave_for(url_for("threads.show", thread_id=thread.id))


@bp.get("/threads/<thread_id>")
def show(thread_id: str) -> Response:
    """The active path, or `?at=` the path through a message; `?before=` an older part of it;
    `?undo=` offers to take back the latest act on a message, `?back=` and `?gone=` count what moved
    with it."""
    asked = window_asked(thread_id, request.args.get("at"), request.args.get("before"))
    undo = request.args.get("undo")
    offer = services().library.acts.latest(thread_id, undo) if undo else None
    return page("thread", **asked, undo=undo, offer=offer, moved=moved_told())


@bp.get("/threads/<thread_id>/earlier")
def earlier(thread_id: str) -> str:
    """The messages just before `?before=`, on the path that leads to it."""
    before = request.args.get("before", "")
    view = services().library.view(thread_id, at=before, before=before)
    return fragment("earlier", view=view, above=max(0, above_given() - len(view.shown)))


@bp.get("/threads/<thread_id>/title")
def title(thread_id: str) -> str:
    """The title as it is now, for a page that waits for a better one."""
    return fragment("renamed", thread=services().library.thread(thread_id))


@bp.post("/threads/<thread_id>/title")
def rename(thread_id: str) -> Response:
    thread = services().library.rename(thread_id, request.form.get("title", ""))
    return done(
        url_for("threads.show", thread_id=thread_id), lambda: fragment("renamed", thread=thread)
    )


@bp.post("/threads/<thread_id>/trash")
def delete(thread_id: str) -> Response:
    documents = services().documents
    with documents.leaving(documents.thread(thread_id)):
        services().generation.delete_thread(thread_id)
    return leave_for(url_for("home.start", trashed=thread_id))


@bp.post("/threads/<thread_id>/restore")
def restore(thread_id: str) -> Response:
    services().library.restore(thread_id)
    services().documents.returned(services().documents.thread(thread_id))
    return leave_for(url_for("threads.show", thread_id=thread_id, restored="yes"))
