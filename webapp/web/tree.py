"""Where one is in a thread: its map, its versions side by side, and going somewhere else."""

from __future__ import annotations

from flask import Blueprint, Response, request

from webapp.chat.word_diff import word_diff
from webapp.errors import Conflict, NotFound
from webapp.threads.view import Shown
from webapp.web.askers import asker_name
from webapp.web.map_boxes import drawing
from webapp.web.rendering import page
from webapp.web.services import services

bp = Blueprint("tree", __name__, url_prefix="/threads/<thread_id>")


@bp.get("/map")
def whole(thread_id: str) -> Response:
    """The whole tree; `?at=` marks the path through that message instead of the active one."""
    library = services().library
    thread = library.view(thread_id, limit=1).thread
    drawn = drawing(*library.acts.map(thread_id, request.args.get("at")), asker_name)
    return page("map", thread=thread, thread_id=thread_id, drawing=drawn)


@bp.get("/messages/<message_id>/compare")
def compare(thread_id: str, message_id: str) -> Response:
    """Two versions side by side; `?with=` names the other, else it is a neighbouring one."""
    library = services().library
    left = library.shown(thread_id, message_id)
    right = library.shown(thread_id, _other(left))
    if "with" not in request.args and right.version < left.version:
        left, right = right, left
    runs = word_diff(left.message.text, right.message.text)
    thread = library.view(thread_id, limit=1).thread
    return page("compare", thread=thread, thread_id=thread_id, left=left, right=right, runs=runs)


def _other(shown: Shown) -> str:
    wanted = request.args.get("with") or shown.next_version or shown.previous_version
    if wanted is None:
        raise Conflict(
            "This message has only one version.", do="Edit it or answer again to have another."
        )
    if wanted not in shown.versions:
        raise NotFound("That is not a version of this message.", do="Choose one of its versions.")
    return wanted
