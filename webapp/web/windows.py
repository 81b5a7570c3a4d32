"""Which part of a long thread is on the page.

A page holds the last messages of a path and counts those *above* it. Changing a version below
leaves that count as it is, so the same place can be shown again, with what now follows it.
"""

from __future__ import annotations

from typing import Any

from flask import request

from webapp.threads.view import ThreadView
from webapp.web.services import services

FIRST_WINDOW = 40
LARGEST_WINDOW = 2000
CONTEXT = 10


def window_again(thread_id: str) -> tuple[ThreadView, int]:
    """The active path from where the page begins (its form field `above`) to its end, and how
    many messages are above; never fewer than `FIRST_WINDOW`."""
    view = services().library.view(thread_id, limit=FIRST_WINDOW)
    above = request.form.get("above", view.total, type=int)
    wanted = min(view.total - above, LARGEST_WINDOW)
    if wanted > len(view.shown):
        view = services().library.view(thread_id, limit=wanted)
    return view, max(0, view.total - len(view.shown))


def window_asked(thread_id: str, at: str | None, before: str | None) -> dict[str, Any]:
    """What the address asks for: the end of the active path, the part before a message, or the
    path through one, from a little above it to the end, or so far as a page can hold."""
    if before or not at:
        view = services().library.view(thread_id, at=before, before=before)
        return {"view": view, "above": count_above(view), "older": bool(before)}
    library = services().library
    for below in (FIRST_WINDOW - CONTEXT, LARGEST_WINDOW - CONTEXT):
        if library.further(thread_id, at, below) is None:
            view = library.view(thread_id, at=at, limit=below + CONTEXT)
            return {"view": view, "above": count_above(view), "older": False}
    end = library.further(thread_id, at, FIRST_WINDOW - CONTEXT)
    view = library.view(thread_id, at=at, before=end)
    return {"view": view, "above": max(0, view.above), "older": True}


def count_above(view: ThreadView) -> int:
    """How many messages of the path come before those shown."""
    if view.earlier is None:
        return 0
    if request.args.get("before"):
        return max(1, above_given() - len(view.shown))
    return max(0, view.total - len(view.shown))


def above_given() -> int:
    """What the page says is above it; only a count to show, so a wrong one does no harm."""
    return min(max(0, request.args.get("above", 0, type=int)), 10**9)
