"""The assistant of one thread: what it tells the model, another one, or the newer one."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for

from webapp.chat.assistant import Assistant, of_thread
from webapp.chat.messages import Thread
from webapp.chat.parameters import PARAMETERS, chosen, usual
from webapp.web.assistants import asked_for
from webapp.web.rendering import leave_for, page
from webapp.web.services import services

bp = Blueprint("thread_assistant", __name__, url_prefix="/threads/<thread_id>/assistant")


@dataclass(frozen=True)
class Standing:
    """The thread's own snapshot, and what became of that assistant since: `newer` is None when
    nothing that a reader would notice."""

    own: Assistant | None
    newer: Assistant | None = None
    changed: tuple[str, ...] = ()


def standing(thread: Thread) -> Standing:
    own = of_thread(thread)
    now = services().assistants.find(own.id) if own else None
    changed = tuple(own.differs_in(now)) if own and now else ()
    return Standing(own, now if changed else None, changed)


def parameter_words(assistant: Assistant) -> list[tuple[str, str]]:
    """(label, value) as they hold for an answer."""
    found = {**usual(), **chosen(assistant.parameters)}
    return [(each.label, f"{found.get(each.name, each.usual):}") for each in PARAMETERS]


@bp.get("")
def show(thread_id: str) -> Response:
    """`?saved=` names the change that was just made, to be taken back."""
    library = services().library
    changes = library.past.changes(thread_id) if "saved" in request.args else []
    return page(
        "thread_assistant",
        thread=(thread := library.view(thread_id, limit=1).thread),
        thread_id=thread_id,
        standing=standing(thread),
        told=services().generation.window.told(library.instructions(thread_id)),
        assistants=services().assistants.usable(),
        saved=[each for each in changes if each.id == request.args["saved"]],
    )


@bp.post("")
def choose(thread_id: str) -> Response:
    """An empty field `assistant` means none."""
    library = services().library
    before = library.past.changes(thread_id)
    library.acts.choose_assistant(thread_id, asked_for())
    after = library.past.changes(thread_id)
    saved = after[0].id if after != before else "nothing"
    return leave_for(url_for("thread_assistant.show", thread_id=thread_id, saved=saved))
