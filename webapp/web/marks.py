"""Pin and mute: what a person wants of one message in the window."""

from __future__ import annotations

from flask import Blueprint, Response, request

from webapp.web.after_act import acted
from webapp.web.services import services

bp = Blueprint("marks", __name__, url_prefix="/threads/<thread_id>/messages/<message_id>")


@bp.post("/pin")
def pin(thread_id: str, message_id: str) -> Response:
    """`on=no` takes the pin away."""
    on = request.form.get("on") != "no"
    services().library.marks.pin(thread_id, message_id, on=on)
    what = "Pinned: this message is always sent." if on else "No longer pinned."
    return acted(thread_id, message_id, what)


@bp.post("/mute")
def mute(thread_id: str, message_id: str) -> Response:
    """`on=no` lets the message be sent again."""
    on = request.form.get("on") != "no"
    services().library.marks.mute(thread_id, message_id, on=on)
    what = "Muted: this message is not sent any more." if on else "No longer muted."
    return acted(thread_id, message_id, what)
