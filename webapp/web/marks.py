"""Pin and mute: what a person wants of one message in the window."""

from __future__ import annotations

from typing import Final, Literal

from flask import Blueprint, Response, request

from webapp.chat.moved import moved
from webapp.web.after_act import acted
from webapp.web.services import services

bp = Blueprint("marks", __name__, url_prefix="/threads/<thread_id>/messages/<message_id>")

DONE: Final = {
    ("pin", True): "Pinned: this message is always sent.",
    ("pin", False): "No longer pinned.",
    ("mute", True): "Muted: this message is not sent any more.",
    ("mute", False): "No longer muted.",
}


@bp.post("/pin")
def pin(thread_id: str, message_id: str) -> Response:
    """`on=no` takes the pin away."""
    return _marked(thread_id, message_id, "pin")


@bp.post("/mute")
def mute(thread_id: str, message_id: str) -> Response:
    """`on=no` lets the message be sent again."""
    return _marked(thread_id, message_id, "mute")


def _marked(thread_id: str, message_id: str, act: Literal["pin", "mute"]) -> Response:
    """Tells what it does to the other messages too: in a full window they may come or go."""
    library, window = services().library, services().generation.window
    on = request.form.get("on") != "no"
    end = library.view(thread_id, at=message_id, limit=1).end
    before = window.outlook(thread_id, at=end)
    (library.marks.pin if act == "pin" else library.marks.mute)(thread_id, message_id, on=on)
    others = moved(before, window.outlook(thread_id, at=end), message_id)
    return acted(thread_id, message_id, DONE[act, on], moved=others)
