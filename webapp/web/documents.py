"""Files of a thread or of a project: attached, watched while they are read, searched, deleted.

The routes exist twice, below `/threads/<thread_id>/files` and `/projects/<project_id>/files`;
`whose` is the id in the address by its name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from flask import Blueprint, Response, g, request, send_file

from webapp.documents.document import describe
from webapp.documents.names import safe_name
from webapp.documents.parsing.limits import MB
from webapp.documents.passages import StoredPassage
from webapp.documents.retrieval import MOST_NEIGHBOURS, Search
from webapp.errors import BadInput, StrataError
from webapp.generation.sources import inlined_ids
from webapp.settings import Settings
from webapp.web import files_shown
from webapp.web.attaching import Taken, chosen_files, taken
from webapp.web.file_owners import FileOwner, owner_of, thread_owner
from webapp.web.files_shown import FilesShown, FoundShown, PassageShown
from webapp.web.rendering import done, fragment, page, printable, wants_fragment
from webapp.web.services import services

bp = Blueprint("documents", __name__, url_prefix="/threads/<thread_id>/files")

MOST_SHOWN = 10


@bp.get("")
def show(**whose: str) -> Response:
    """`?q=` searches; `?deleted=` says that a file is gone."""
    owner = owner_of(whose)
    found = _found(owner)
    return page("files", owner=owner, shown=shown_of(owner), found=found, told=())


@bp.post("")
def attach(**whose: str) -> Response:
    """The files of the field `files`; each that is not taken is told, the others are stored."""
    owner = owner_of(whose)
    return attached(owner, taken(owner.scope, chosen_files()))


@bp.get("/list")
def listed(**whose: str) -> str:
    return fragment("file_list", shown=shown_of(owner_of(whose)))


@bp.get("/chips")
def chips(**whose: str) -> str:
    """What stands above the composer, and the count in the header."""
    shown = shown_of(owner_of(whose))
    return fragment("file_chips", shown=shown) + fragment("file_link", shown=shown, oob=True)


@bp.get("/found")
def found(**whose: str) -> str:
    return fragment("file_found", found=_found(owner_of(whose)))


@bp.get("/<file_id>")
def one(file_id: str, **whose: str) -> Response:
    """A file with its passages, 20 at a time; `?from=` is the first of them, `?q=` searches."""
    owner = owner_of(whose)
    file = services().documents.state(owner.scope, file_id)
    start = min(max(0, request.args.get("from", 0, type=int)), file.facts.chunks)
    passages: tuple[StoredPassage, ...] = ()
    if file.is_ready:
        last = start + MOST_NEIGHBOURS - 1
        passages = services().documents.chunks(owner.scope, file_id, start, last)
    seen = {"owner": owner, "file": file, "passages": passages, "start": start}
    found = _found(owner, file_id)
    return page("files_one", status=200, shown=shown_of(owner), found=found, **seen)


@bp.get("/<file_id>/found")
def found_in_one(file_id: str, **whose: str) -> str:
    owner = owner_of(whose)
    services().documents.state(owner.scope, file_id)
    return fragment("file_found", found=_found(owner, file_id))


@bp.get("/<file_id>/original")
def original(file_id: str, **whose: str) -> Response:
    """Never shown by the browser itself, whatever the file says that it is."""
    scope = owner_of(whose).scope
    name = safe_name(services().documents.state(scope, file_id).name)
    path = services().documents.original(scope, file_id).resolve()
    return send_file(path, "application/octet-stream", as_attachment=True, download_name=name)


@bp.get("/<file_id>/text")
def text(file_id: str, **whose: str) -> Response:
    """What was read of it, as plain text."""
    document = services().documents.text(owner_of(whose).scope, file_id)
    return Response(printable(document.text), mimetype="text/plain")


@bp.post("/<file_id>/cancel")
def cancel(file_id: str, **whose: str) -> Response:
    owner = owner_of(whose)
    services().documents.acts.cancel(owner.scope, file_id)
    return _changed(owner)


@bp.post("/<file_id>/retry")
def retry(file_id: str, **whose: str) -> Response:
    owner = owner_of(whose)
    services().documents.acts.retry(owner.scope, file_id)
    return _changed(owner)


@bp.post("/<file_id>/reading")
def read_again(file_id: str, **whose: str) -> Response:
    owner = owner_of(whose)
    services().documents.acts.read_again(owner.scope, file_id)
    return _changed(owner)


@bp.post("/<file_id>/use")
def choose_use(file_id: str, **whose: str) -> Response:
    owner = owner_of(whose)
    if owner.is_project:
        raise BadInput("Files of a project are always searched.", do="Attach it to a thread.")
    use = request.form.get("use", "")
    services().documents.acts.choose_use(owner.scope, file_id, use)
    return done(f"{owner.at}/{file_id}?saved=yes")


@bp.get("/<file_id>/removal")
def ask_removal(file_id: str, **whose: str) -> Response:
    owner = owner_of(whose)
    file = services().documents.state(owner.scope, file_id)
    return page("files_removal", owner=owner, file=file)


@bp.post("/<file_id>/removal")
def remove(file_id: str, **whose: str) -> Response:
    owner = owner_of(whose)
    services().documents.acts.remove(owner.scope, file_id)
    return done(f"{owner.at}?deleted=yes")


def attached(owner: FileOwner, files: Taken) -> Response:
    """The answer to files that were sent; with something to tell it is the page that tells it."""
    if not files.told:
        return done(owner.at)
    status = 422 if files.refused else 200
    if wants_fragment():
        kind = "error" if files.refused else ""
        notice = fragment("notice", what=" ".join(files.told), do="", kind=kind)
        return Response(notice, status, {"HX-Retarget": "#notices"}, mimetype="text/html")
    shown, found = shown_of(owner), FoundShown(owner.at)
    return page("files", status=status, owner=owner, shown=shown, found=found, told=files.told)


def shown_of(owner: FileOwner) -> FilesShown:
    """Its files, looked at once while a request is answered. A list that cannot be read is told
    and keeps nobody from the conversation."""
    made: dict[str, FilesShown] = g.setdefault("files_shown", {})
    if owner.at not in made:
        made[owner.at] = _files_of(owner)
    return made[owner.at]


@bp.app_template_filter()
def files_of(thread_id: str) -> FilesShown:
    """The files of a thread whose page is shown."""
    return shown_of(thread_owner(services().library.thread(thread_id)))


bp.add_app_template_filter(files_shown.doing, "file_doing")
bp.add_app_template_filter(files_shown.facts_of, "file_facts")
bp.add_app_template_filter(describe, "file_place")


@bp.app_context_processor
def choices() -> dict[str, object]:
    most = services().settings.max_file_mb
    return {"file_uses": files_shown.USES, "largest_file_mb": most, "largest_file": most * MB}


# --- inside ---


def _files_of(owner: FileOwner) -> FilesShown:
    try:
        files = services().documents.status(owner.scope)
        read = files and not owner.is_project
        path = services().library.path(owner.scope.id) if read else []
    except StrataError as error:
        return FilesShown(owner.at, trouble=str(error), is_project=owner.is_project)
    whole = frozenset(inlined_ids(path))
    asked = int(max((each.created_at for each in path if each.role == "user"), default=0))
    return FilesShown(owner.at, files, whole, "", owner.is_project, owner.can.write, asked)


def _changed(owner: FileOwner) -> Response:
    return done(owner.at, lambda: fragment("file_list", shown=shown_of(owner)))


def _found(owner: FileOwner, file_id: str = "") -> FoundShown:
    """For the question `?q=`, in one file or in all. Weak passages too, so that the threshold can
    be judged; those that the model would get with this question are marked."""
    settings, question = services().settings, request.args.get("q", "")
    found = FoundShown(owner.at, question, threshold=settings.retrieval_threshold, file_id=file_id)
    if not question.strip():
        return found
    try:
        sent = services().documents.search(owner.searched, question)
        every = services().documents.search([owner.scope], question, _wide(settings), file_id)
    except StrataError as error:
        return replace(found, notes=(str(error),), searched=True)
    whole = shown_of(owner).whole
    ids = {each.id for each in sent.passages if each.file_id not in whole}
    shown = [PassageShown(each, each.id in ids) for each in every.passages]
    return replace(found, passages=shown, notes=every.notes, searched=True)


def _wide(settings: Settings) -> Search:
    """As answers are looked for, but with weaker passages too."""
    how: Literal["vector", "hybrid"] = "vector" if settings.search_by == "vector" else "hybrid"
    return Search(max(MOST_SHOWN, settings.retrieval_limit), 0.0, how)
