"""A thread that begins with files: they are attached on the start page, before or with the first
question."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from flask import Blueprint, Response, request, url_for
from werkzeug.datastructures import FileStorage

from webapp.chat.wording import checked_text
from webapp.threads.library import DRAFT
from webapp.threads.view import ThreadView
from webapp.web import home
from webapp.web.access import owner_id
from webapp.web.assistants import asked_for
from webapp.web.attaching import Taken, chosen_files, fitting, taken
from webapp.web.documents import attached
from webapp.web.file_owners import thread_owner
from webapp.web.forms import LARGEST_FORM_BYTES
from webapp.web.rendering import fragment, leave_for, wants_fragment
from webapp.web.services import services

bp = Blueprint("beginning", __name__)


@bp.post("/threads/files")
def attach() -> Response:
    """The files make the thread; what was typed waits there as a draft."""
    files = chosen_files(LARGEST_FORM_BYTES)
    return begun(files, request.form.get("text", ""), ask=False)


def begun(files: Sequence[FileStorage], text: str, *, ask: bool) -> Response:
    """On to the new thread, with its first question asked if all files are there. When none of
    them can be taken there is no thread, and the sentence stands on the start page."""
    with ExitStack() as open_files:
        for each in files:
            open_files.callback(each.close)
        return _begun(files, text, ask=ask)


def _begun(files: Sequence[FileStorage], text: str, *, ask: bool) -> Response:
    if ask and text.strip():
        checked_text(text)
        services().generation.refuse_too_many()
    fit, told = fitting(files)
    if not fit:
        return _refused(told, text)
    library, documents = services().library, services().documents
    thread = library.create("", asked_for(), draft=text.strip() and text, owner=owner_id())
    told = taken(documents.thread(thread.id), fit).after(told)
    if not told.stored:
        with documents.leaving(documents.thread(thread.id)):
            library.delete(thread.id)
        return _refused(told, text)
    if told.told:
        return attached(thread_owner(thread), told)
    if ask and text.strip():
        services().generation.ask(thread.id, text)
    return leave_for(url_for("threads.show", thread_id=thread.id))


def draft_of(view: ThreadView) -> str:
    """What was typed before the thread was made, until something is asked in it."""
    kept = view.thread.metadata.get(DRAFT)
    return kept if isinstance(kept, str) and not view.total else ""


def _refused(files: Taken, text: str) -> Response:
    if wants_fragment():
        notice = fragment("notice", what=" ".join(files.told), do="", kind="error")
        return Response(notice, 422, {"HX-Retarget": "#notices"}, mimetype="text/html")
    return home.start_page(draft=text, told=files.told, status=422)
