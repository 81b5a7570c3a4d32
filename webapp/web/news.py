"""What others did in a thread since its page was shown; the page looks now and then."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, request

from webapp.web.outlook import outlook_of
from webapp.web.rendering import fragment
from webapp.web.services import services

bp = Blueprint("news", __name__, url_prefix="/threads/<thread_id>")

MOST_AT_ONCE: Final = 60
ELSEWHERE: Final = "This thread now continues on another version."
DELETED: Final = "The last message here was deleted in the meantime."
MANY: Final = "Much has been said here in the meantime."


@bp.get("/news")
def since(thread_id: str) -> str | Response:
    """The messages below `?after=`, the last one that the page shows; 204 when there are none. Or a
    notice: that one is gone, or `?opens=` said that it stands where the thread opens, and the
    thread opens elsewhere now. A page with an `?older=` part only learns that it may still be read.
    """
    library, after = services().library, request.args.get("after", "")
    if "older" in request.args:
        return Response(status=204)
    if after and not library.has(thread_id, after):
        return fragment("news", what=DELETED, thread_id=thread_id)
    end = library.view(thread_id, at=after or None, limit=1).end or ""
    if end != after:
        return _said(thread_id, end, after)
    if after and "opens" in request.args and not library.past.is_shown(thread_id, after):
        return fragment("news", what=ELSEWHERE, thread_id=thread_id)
    return Response(status=204)


def _said(thread_id: str, end: str, after: str) -> str:
    view = services().library.view(thread_id, at=end, limit=MOST_AT_ONCE + 1)
    ids = [each.message.id for each in view.shown]
    if after and after not in ids:
        return fragment("news", what=MANY, thread_id=thread_id)
    turn = view.shown[ids.index(after) + 1 if after else 0 :]
    return fragment("turn", turn=turn, thread_id=thread_id, outlook=outlook_of(view))
