"""What the page gets after an act on a thread: the conversation as it is now, and a notice."""

from __future__ import annotations

from typing import Final

from flask import Response, request, url_for

from webapp.chat.moved import Moved
from webapp.web.rendering import done, fragment
from webapp.web.services import services
from webapp.web.windows import window_again

NOTHING_MOVED: Final = Moved()
MOST_TOLD: Final = 10**9


def conversation(thread_id: str) -> str:
    """The active path, from where the page begins."""
    view, above = window_again(thread_id)
    return fragment("conversation", view=view, above=above)


def page_of(thread_id: str, message_id: str) -> str:
    """The thread, scrolled to a message of its active path."""
    return url_for("threads.show", thread_id=thread_id, _anchor=f"message-{message_id}")


def place_of(thread_id: str, message_id: str) -> str:
    """The address of a message on whatever path it is, to be shared."""
    anchor = f"message-{message_id}"
    return url_for("threads.show", thread_id=thread_id, at=message_id, _anchor=anchor)


def acted(
    thread_id: str, message_id: str, what: str, *, undo: bool = True, moved: Moved = NOTHING_MOVED
) -> Response:
    """For htmx the conversation, the marked branches and a notice that offers to take the act on
    `message_id` back and tells what `moved` with it; a plain form is sent on to a page with the
    same notice."""
    offered = message_id if undo else None
    back, gone = moved.back or None, moved.gone or None
    url = url_for("threads.show", thread_id=thread_id, undo=offered, back=back, gone=gone)
    told = " ".join(filter(None, (what, moved.words)))

    def show() -> str:
        thread = services().library.view(thread_id, limit=1).thread
        notice = fragment("tree_undo", what=told, undo=offered, thread_id=thread_id, oob=True)
        return conversation(thread_id) + notice + fragment("tree_branches", row=thread, oob=True)

    return done(url, show)


def moved_told() -> str:
    """What the address says moved with the act before this page; sentences, or nothing."""
    back, gone = (request.args.get(name, 0, type=int) for name in ("back", "gone"))
    return Moved(*(min(max(each, 0), MOST_TOLD) for each in (back, gone))).words
