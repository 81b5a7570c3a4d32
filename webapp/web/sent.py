"""What was sent for an answer, part by part; and what was left out of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, redirect
from werkzeug.wrappers import Response as Redirection

from webapp.chat.messages import Message
from webapp.generation.sent import SentPart, read
from webapp.web.after_act import place_of
from webapp.web.outlook import outlook
from webapp.web.rendering import page
from webapp.web.services import services

bp = Blueprint("sent", __name__, url_prefix="/threads/<thread_id>/messages/<message_id>")


@bp.get("/sent")
def show(thread_id: str, message_id: str) -> Response:
    message = services().library.message(thread_id, message_id)
    thread = services().library.view(thread_id, limit=1).thread
    parts = _parts(thread_id, message)
    return page("sent", thread=thread, thread_id=thread_id, message=message, parts=parts)


@bp.get("/sent.json")
def as_json(thread_id: str, message_id: str) -> Response:
    """The messages of the request, as programs write them."""
    parts = _parts(thread_id, services().library.message(thread_id, message_id))
    messages = [{"role": part.role, "content": part.content} for part in parts]
    text = json.dumps({"messages": messages}, ensure_ascii=False, indent=2)
    # What is no character becomes the escape that JSON has for it.
    return Response(text.encode("utf-8", "backslashreplace"), mimetype="application/json")


@bp.get("/left-out")
def left_out(thread_id: str, message_id: str) -> Redirection:
    """On to the first message that the window of this answer had no room for."""
    path = services().library.path_before(thread_id, message_id)
    plan = outlook(thread_id, path[-1].id).plan if path else None
    gone = plan.left_out if plan else ()
    first = gone[0] if gone else (path[0].id if path else message_id)
    return redirect(place_of(thread_id, first), 303)


def is_kept(message: Message) -> bool:
    """Whether it is known what was sent for this answer."""
    return bool(_record(message))


def left_out_of(message: Message) -> int:
    """How many messages the window of this answer had no room for."""
    count = _usage(message).get("left_out")
    return count if isinstance(count, int) and 0 < count < 10**9 else 0


def _parts(thread_id: str, message: Message) -> list[SentPart]:
    """Of this thread alone: a message that was brought in may say that it is of another."""
    library = services().library
    return read(_record(message), lambda id: library.message(thread_id, id))


def _record(message: Message) -> list[Any]:
    found = _usage(message).get("sent")
    return found if isinstance(found, list) else []


def _usage(message: Message) -> Mapping[str, Any]:
    found = message.metadata.get("usage")
    return found if isinstance(found, Mapping) else {}
