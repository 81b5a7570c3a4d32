"""Search over everything said, in all threads that the reader may read, on all branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import Blueprint, Response, request, url_for

from webapp.chat.messages import Thread
from webapp.search.index import Hit
from webapp.search.question import LONGEST_QUESTION, Question, question_from
from webapp.search.snippets import Piece, snippet
from webapp.threads.states import states
from webapp.web.access import readable
from webapp.web.rendering import fragment, page
from webapp.web.services import services
from webapp.web.things import of_thread

bp = Blueprint("search", __name__, url_prefix="/search")

MOST_HITS: Final = 100
SECONDS: Final = 1.0
_SPEAKERS: Final = {"user": "You", "assistant": "Answer"}


@dataclass(frozen=True)
class HitShown:
    """`at` in milliseconds."""

    url: str
    speaker: str
    at: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class SearchShown:
    """Hits by thread, newest first. `waiting` threads are not in the index yet."""

    typed: str
    asked: bool
    groups: tuple[tuple[Thread, tuple[HitShown, ...]], ...] = ()
    count: int = 0
    waiting: int = 0

    @property
    def is_full(self) -> bool:
        return self.count >= MOST_HITS


@bp.get("")
def show() -> Response:
    """`?q=` is what is looked for."""
    return page("search", found=_found(), longest=LONGEST_QUESTION)


@bp.get("/results")
def results() -> str:
    return fragment("search_results", found=_found())


def _found() -> SearchShown:
    typed = request.args.get("q", "")
    question = question_from(typed)
    if not question.terms:
        return SearchShown(typed[:LONGEST_QUESTION], asked=False)
    known = [row for row in services().library.threads() if isinstance(row, Thread)]
    waiting = services().search.catch_up(
        states(services().settings.data, [row.id for row in known]), SECONDS
    )
    allowed = {row.id: row for row in readable(known, of_thread)}
    hits = services().search.find(question, allowed, MOST_HITS)
    groups: dict[str, list[HitShown]] = {}
    for hit in hits:
        groups.setdefault(hit.thread_id, []).append(_shown(hit, question))
    shown = tuple((allowed[each], tuple(rows)) for each, rows in groups.items())
    return SearchShown(typed[:LONGEST_QUESTION], True, shown, len(hits), waiting)


def _shown(hit: Hit, question: Question) -> HitShown:
    place = f"message-{hit.message_id}"
    url = url_for("threads.show", thread_id=hit.thread_id, at=hit.message_id, _anchor=place)
    speaker = _SPEAKERS.get(hit.role, hit.role.capitalize())
    return HitShown(url, speaker, hit.at, snippet(hit.text, question))
