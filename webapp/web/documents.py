"""Files of a thread: attached, watched while they are read, searched, deleted."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from os import SEEK_END
from typing import Literal

from flask import Blueprint, Response, g, request, send_file, url_for
from werkzeug.datastructures import FileStorage

from webapp.documents.document import describe
from webapp.documents.names import safe_name
from webapp.documents.parsing.limits import MB
from webapp.documents.passages import StoredPassage
from webapp.documents.retrieval import MOST_NEIGHBOURS, Search
from webapp.documents.scope import Scope
from webapp.documents.uploads import Duplicate
from webapp.errors import BadInput, StrataError
from webapp.generation.sources import inlined_ids
from webapp.settings import Settings
from webapp.web import files_shown
from webapp.web.files_shown import FilesShown, FoundShown, PassageShown
from webapp.web.rendering import done, fragment, page, printable, wants_fragment
from webapp.web.services import services

bp = Blueprint("documents", __name__, url_prefix="/threads/<thread_id>/files")

MOST_SHOWN = 10
LARGEST_POST_FILES = 10  # as many of the largest size go into one form


@bp.get("")
def show(thread_id: str) -> Response:
    """`?q=` searches; `?deleted=` says that a file is gone."""
    thread = services().library.thread(thread_id)
    found = _found(thread_id, request.args.get("q", ""))
    return page("files", thread=thread, thread_id=thread_id, found=found, told=())


@bp.post("")
def attach(thread_id: str) -> Response:
    """The files of the field `files`; each that is not taken is told, the others are stored."""
    thread = services().library.thread(thread_id)
    told, refused = _taken(_scope(thread_id))
    if not told:
        return done(url_for("documents.show", thread_id=thread_id))
    status = 422 if refused else 200
    if wants_fragment():
        kind = "error" if refused else ""
        notice = fragment("notice", what=" ".join(told), do="", kind=kind)
        return Response(notice, status, {"HX-Retarget": "#notices"}, mimetype="text/html")
    found = FoundShown(thread_id)
    return page("files", status=status, thread=thread, thread_id=thread_id, found=found, told=told)


@bp.get("/list")
def listed(thread_id: str) -> str:
    services().library.thread(thread_id)
    return fragment("file_list", shown=files_of(thread_id))


@bp.get("/chips")
def chips(thread_id: str) -> str:
    """What stands above the composer, and the count in the header."""
    services().library.thread(thread_id)
    shown = files_of(thread_id)
    return fragment("file_chips", shown=shown) + fragment("file_link", shown=shown, oob=True)


@bp.get("/found")
def found(thread_id: str) -> str:
    services().library.thread(thread_id)
    return fragment("file_found", found=_found(thread_id, request.args.get("q", "")))


@bp.get("/<file_id>")
def one(thread_id: str, file_id: str) -> Response:
    """A file with its passages, 20 at a time; `?from=` is the first of them."""
    scope, thread = _scope(thread_id), services().library.thread(thread_id)
    file = services().documents.state(scope, file_id)
    start = min(max(0, request.args.get("from", 0, type=int)), file.facts.chunks)
    passages: tuple[StoredPassage, ...] = ()
    if file.is_ready:
        last = start + MOST_NEIGHBOURS - 1
        passages = services().documents.chunks(scope, file_id, start, last)
    shown = files_of(thread_id)
    return page("files_one", thread=thread, file=file, shown=shown, passages=passages, start=start)


@bp.get("/<file_id>/original")
def original(thread_id: str, file_id: str) -> Response:
    """Never shown by the browser itself, whatever the file says that it is."""
    scope = _scope(thread_id)
    name = safe_name(services().documents.state(scope, file_id).name)
    path = services().documents.original(scope, file_id).resolve()
    return send_file(path, "application/octet-stream", as_attachment=True, download_name=name)


@bp.get("/<file_id>/text")
def text(thread_id: str, file_id: str) -> Response:
    """What was read of it, as plain text."""
    document = services().documents.text(_scope(thread_id), file_id)
    return Response(printable(document.text), mimetype="text/plain")


@bp.post("/<file_id>/cancel")
def cancel(thread_id: str, file_id: str) -> Response:
    services().documents.acts.cancel(_scope(thread_id), file_id)
    return _changed(thread_id)


@bp.post("/<file_id>/retry")
def retry(thread_id: str, file_id: str) -> Response:
    services().documents.acts.retry(_scope(thread_id), file_id)
    return _changed(thread_id)


@bp.post("/<file_id>/reading")
def read_again(thread_id: str, file_id: str) -> Response:
    services().documents.acts.read_again(_scope(thread_id), file_id)
    return _changed(thread_id)


@bp.post("/<file_id>/use")
def choose_use(thread_id: str, file_id: str) -> Response:
    use = request.form.get("use", "")
    services().documents.acts.choose_use(_scope(thread_id), file_id, use)
    return done(url_for("documents.one", thread_id=thread_id, file_id=file_id, saved="yes"))


@bp.get("/<file_id>/removal")
def ask_removal(thread_id: str, file_id: str) -> Response:
    file = services().documents.state(_scope(thread_id), file_id)
    thread = services().library.thread(thread_id)
    return page("files_removal", thread=thread, file=file)


@bp.post("/<file_id>/removal")
def remove(thread_id: str, file_id: str) -> Response:
    services().documents.acts.remove(_scope(thread_id), file_id)
    return done(url_for("documents.show", thread_id=thread_id, deleted="yes"))


@bp.app_template_filter()
def files_of(thread_id: str) -> FilesShown:
    """The files of a thread, looked at once while a request is answered. A list that cannot be
    read is told and keeps nobody from the conversation."""
    made: dict[str, FilesShown] = g.setdefault("files_shown", {})
    if thread_id not in made:
        made[thread_id] = _files_of(thread_id)
    return made[thread_id]


bp.add_app_template_filter(files_shown.doing, "file_doing")
bp.add_app_template_filter(files_shown.facts_of, "file_facts")
bp.add_app_template_filter(describe, "file_place")


@bp.app_context_processor
def choices() -> dict[str, object]:
    most = services().settings.max_file_mb
    return {"file_uses": files_shown.USES, "largest_file_mb": most, "largest_file": most * MB}


# --- inside ---


def _scope(thread_id: str) -> Scope:
    """NotFound for a thread that is not there."""
    services().library.thread(thread_id)
    return services().documents.thread(thread_id)


def _posted() -> list[FileStorage]:
    """BadInput without any; more than fits into one form is a 413."""
    largest = services().settings.max_file_mb * MB
    request.max_content_length = LARGEST_POST_FILES * largest + MB
    posted = [each for each in request.files.getlist("files") if each.filename]
    if not posted:
        raise BadInput("No file was chosen.", do="Choose one or more files, then attach them.")
    return posted


def _taken(scope: Scope) -> tuple[list[str], bool]:
    """A sentence for each file that is not new, and whether any was refused."""
    told, refused = [], False
    for each in _posted():
        name = safe_name(each.filename or "")
        size = each.stream.seek(0, SEEK_END)
        each.stream.seek(0)
        try:
            with closing(each.stream) as stream:
                added = services().documents.add(scope, name, stream, size)
        except StrataError as error:
            told.append(f"“{name}” was not attached. {error}")
            refused = True
        else:
            told += [added.sentence] if isinstance(added, Duplicate) else []
    return told, refused


def _files_of(thread_id: str) -> FilesShown:
    try:
        files = services().documents.status(services().documents.thread(thread_id))
        whole = inlined_ids(services().library.path(thread_id)) if files else set()
    except StrataError as error:
        return FilesShown(thread_id, trouble=str(error))
    return FilesShown(thread_id, files, frozenset(whole))


def _changed(thread_id: str) -> Response:
    url = url_for("documents.show", thread_id=thread_id)
    return done(url, lambda: fragment("file_list", shown=files_of(thread_id)))


def _found(thread_id: str, question: str) -> FoundShown:
    """Weak passages too, so that the threshold can be judged; those that the model would get
    with this question are marked."""
    settings = services().settings
    found = FoundShown(thread_id, question, threshold=settings.retrieval_threshold)
    if not question.strip():
        return found
    try:
        scope = [_scope(thread_id)]
        sent = services().documents.search(scope, question)
        every = services().documents.search(scope, question, _wide(settings))
    except StrataError as error:
        return replace(found, notes=(str(error),), searched=True)
    whole = files_of(thread_id).whole
    ids = {each.id for each in sent.passages if each.file_id not in whole}
    shown = [PassageShown(each, each.id in ids) for each in every.passages]
    return replace(found, passages=shown, notes=every.notes, searched=True)


def _wide(settings: Settings) -> Search:
    """As answers are looked for, but with weaker passages too."""
    how: Literal["vector", "hybrid"] = "vector" if settings.search_by == "vector" else "hybrid"
    return Search(max(MOST_SHOWN, settings.retrieval_limit), 0.0, how)
