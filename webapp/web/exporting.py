"""A thread to take along: as Markdown, or as JSON without loss. Any who may read it may."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any, Final

from flask import Blueprint, Response, request, send_file

from webapp.archives import thread_json
from webapp.archives.file_names import named_after
from webapp.archives.markdown_ends import closed
from webapp.chat.thread_markdown import FileNamed, Told, every_version, shown_path
from webapp.chat.tree import Tree
from webapp.documents.file_facts import FileFacts, to_json
from webapp.errors import BadInput
from webapp.moments import long_date
from webapp.web.filters import author
from webapp.web.rendering import page, printable
from webapp.web.services import services

bp = Blueprint("exporting", __name__, url_prefix="/threads/<thread_id>/export")

_WRITERS: Final = {"shown": shown_path, "versions": every_version}


@bp.get("")
def show(thread_id: str) -> Response:
    thread, messages = services().library.acts.whole(thread_id)
    tree = Tree(messages, thread.active_root_id)
    return page("export", thread=thread, every=len(tree), shown=len(tree.active_path()))


@bp.get("/file")
def file(thread_id: str) -> Response:
    """`?as=` is shown (as without it) or versions, which are Markdown, or json."""
    wanted = request.args.get("as", "shown")
    thread, messages = services().library.acts.whole(thread_id)
    scope = services().documents.thread(thread_id)
    files = [state.facts for state in services().documents.status(scope)]
    if wanted == "json":
        known: list[dict[str, Any]] = [to_json(each) for each in files]
        data = b"".join(thread_json.pieces(thread, messages, known))
        return _download(data, "application/json", thread.title, ".json")
    if wanted not in _WRITERS:
        raise BadInput("There is no such format.", do="Choose one on the export page.")
    tree = Tree(messages, thread.active_root_id)
    told = Told(thread, tree, long_date, closed, tuple(_named(files)), author)
    text = printable("".join(_WRITERS[wanted](told)))
    return _download(text.encode(), "text/markdown", thread.title, ".md")


# --- inside ---


def _named(files: Iterable[FileFacts]) -> Iterable[FileNamed]:
    return (FileNamed(each.name, each.size) for each in files)


def _download(data: bytes, mimetype: str, title: str, suffix: str) -> Response:
    """Saved by the browser, never shown by it. The name cannot reach beyond its header."""
    name = named_after(title, suffix)
    response = send_file(BytesIO(data), mimetype, as_attachment=True, download_name=name)
    response.headers["Cache-Control"] = "no-store"
    return response
