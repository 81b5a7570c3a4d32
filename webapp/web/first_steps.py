"""The first steps on the start page, and a sample thread to look at."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from flask import Blueprint, Response, url_for

from webapp.chat.messages import Thread
from webapp.errors import NotFound, StorageFailed
from webapp.generation.sample import SampleThread, is_sample
from webapp.threads.ownership import owner_in
from webapp.web.access import owner_id, readable
from webapp.web.rendering import done, leave_for
from webapp.web.services import services
from webapp.web.things import of_thread

bp = Blueprint("first_steps", __name__)

# Whoever has more threads than this needs no first steps.
_FEW = 5
_MAKING = threading.Lock()


@dataclass(frozen=True)
class Steps:
    """What is done of the three; `thread_id` is where a file can be attached, if there is one."""

    model: bool
    question: bool
    file: bool
    thread_id: str = ""

    @property
    def all_done(self) -> bool:
        return self.model and self.question and self.file


def steps() -> Steps | None:
    """None for who has seen enough, or never needed them. All three done are noted for good."""
    welcome = services().household.welcome
    if welcome.is_over(owner_id()):
        return None
    mine = list(islice(_own_threads(), _FEW + 1))
    asked = [each for each in mine if _holds(each.id, _messages)]
    filed = any(_holds(each.id, _files) for each in mine)
    state = services().engine.describe().state
    found = Steps(state != "failed", bool(asked), filed, asked[0].id if asked else "")
    if found.all_done or len(mine) > _FEW:
        welcome.end(owner_id())
        return None
    return found


@bp.post("/first-steps/over")
def over() -> Response:
    services().household.welcome.end(owner_id())
    return done(url_for("home.start"))


@bp.post("/threads/sample")
def sample() -> Response:
    """The one there is, or a new one; opened where it begins, for it is read like a story."""
    rooms = services()
    with _MAKING:  # who presses twice gets one
        found = next((each.id for each in _threads() if is_sample(each)), "")
        if not found:
            made = SampleThread(rooms.library, rooms.documents, rooms.generation.groundings)
            found = made.made(owner_id())
    first = rooms.library.view(found).shown[:1]
    anchor = f"message-{first[0].message.id}" if first else None
    return leave_for(url_for("threads.show", thread_id=found, _anchor=anchor))


def _holds(thread_id: str, count: Callable[[str], int]) -> bool:
    """False too for a thread that cannot be read: it says so itself where it is opened."""
    try:
        return count(thread_id) > 0
    except (NotFound, StorageFailed):
        return False


def _messages(thread_id: str) -> int:
    return services().library.view(thread_id, limit=1).total


def _files(thread_id: str) -> int:
    documents = services().documents
    return len(documents.status(documents.thread(thread_id)))


def _own_threads() -> list[Thread]:
    return [each for each in _threads() if not is_sample(each)]


def _threads() -> list[Thread]:
    """Those of who calls, newest first."""
    found = readable(services().library.threads(), of_thread)
    whose = owner_id()
    return [
        each
        for each in found
        if isinstance(each, Thread) and (not whose or owner_in(each.metadata) == whose)
    ]
