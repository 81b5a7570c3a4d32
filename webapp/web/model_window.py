"""The window of a thread: its bar, as one writes, and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, Response, request, url_for

from webapp.chat.limits import Compacting, compacting
from webapp.chat.messages import Message
from webapp.errors import BadInput
from webapp.settings import SETTINGS
from webapp.web.after_act import page_of
from webapp.web.forms import posted_text
from webapp.web.outlook import Outlook, outlook
from webapp.web.rendering import done, fragment, leave_for, page
from webapp.web.services import services
from webapp.web.windows import LARGEST_WINDOW

bp = Blueprint("model_window", __name__, url_prefix="/threads/<thread_id>/window")

MODES: Final[tuple[tuple[Compacting, str], ...]] = (
    ("when_full", "When the window is full"),
    ("at_60", "Already at 60 %"),
    ("off", "Never: the oldest messages are left out"),
)
_NAMES: Final = {"max_context_tokens": "The window", "max_output_tokens": "The longest answer"}


@bp.post("")
def refresh(thread_id: str) -> Response:
    """The bar with the draft `text` below the message `after`; with it the marks of the messages
    on the page, counted by `above`, when they are not those that the page knows."""
    draft, after = posted_text(), request.form.get("after", "")
    at = after if after and services().library.has(thread_id, after) else None
    seen = outlook(thread_id, at, draft)
    return done(page_of(thread_id, seen.end), lambda: _refreshed(seen))


def _refreshed(seen: Outlook) -> str:
    shown = _on_page(seen)
    known = seen.digest(shown)
    marks = shown if known != request.form.get("known") else []
    bar = fragment("window", outlook=seen, known=known)
    return bar + fragment("message_marks", outlook=seen, marked=marks, thread_id=seen.thread_id)


def _on_page(seen: Outlook) -> list[Message]:
    above = request.form.get("above", 0, type=int)
    return list(seen.path[max(0, above, len(seen.path) - LARGEST_WINDOW) :])


@bp.get("/settings")
def settings(thread_id: str) -> Response:
    """`?saved=` names the change that was just made, to be taken back."""
    library = services().library
    changes = library.past.changes(thread_id) if "saved" in request.args else []
    return page(
        "window_settings",
        thread=(thread := library.view(thread_id, limit=1).thread),
        thread_id=thread_id,
        own=own if isinstance(own := thread.metadata.get("window"), Mapping) else {},
        loaded=services().engine.describe().context_tokens,
        usual=services().settings,
        modes=MODES,
        saved=[each for each in changes if each.id == request.args["saved"]],
    )


@bp.post("/settings")
def save(thread_id: str) -> Response:
    """An empty field means: as for all threads."""
    library = services().library
    wanted = _wanted()
    before = library.past.changes(thread_id)
    library.set_window(thread_id, wanted)
    after = library.past.changes(thread_id)
    saved = after[0].id if after != before else "nothing"
    return leave_for(url_for("model_window.settings", thread_id=thread_id, saved=saved))


def _wanted() -> dict[str, object]:
    """Raises BadInput with a sentence."""
    found: dict[str, object] = {}
    for name in _NAMES:
        typed = request.form.get(name, "").strip().replace(",", "").replace(" ", "")
        if typed:
            found[name] = _tokens(name, typed)
    mode = request.form.get("auto_compact", "")
    if mode:
        found["auto_compact"] = "off" if mode == "off" else compacting(mode)
    _check_room(found)
    return found


def _tokens(name: str, typed: str) -> int:
    ranges = {each.name: each.metadata["range"] for each in SETTINGS}
    lowest, highest = max(ranges[name][0], 0), ranges[name][1]
    number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else -1
    if not lowest <= number <= highest:
        raise BadInput(
            f"{_NAMES[name]} cannot be “{typed[:40]}” tokens.",
            do=f"Write a whole number from {lowest:,} to {highest:,}, or leave it empty.",
        )
    return number


def _check_room(found: dict[str, object]) -> None:
    whole = found.get("max_context_tokens")
    answer = found.get("max_output_tokens", services().settings.max_output_tokens)
    if isinstance(whole, int) and isinstance(answer, int) and 0 < whole <= answer:
        raise BadInput(
            f"A window of {whole:,} tokens has no room beside an answer of {answer:,}.",
            do="Choose a larger window or a shorter answer.",
        )
