"""Search in everything that was said, and in files: as one types, or as a plain form."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp.chat.messages import Thread
from webapp.documents.passages import Passage
from webapp.documents.scope import Scope
from webapp.errors import BadInput, StrataError
from webapp.generation.day import begins_at, readers_zone
from webapp.search.finder import Hit, Hits, NearHits
from webapp.search.index import PINNED, STARRED, TITLE, Filters
from webapp.search.question import question_from
from webapp.search.snippets import snippet
from webapp.threads.projects import Project, project_id_of
from webapp.web.access import readable
from webapp.web.projects import all_projects
from webapp.web.rendering import fragment, page, wants_fragment
from webapp.web.services import services
from webapp.web.things import of_thread

bp = Blueprint("search", __name__, url_prefix="/search")

ROLES = {"": "Everything", "user": "Questions", "assistant": "Answers", TITLE: "Titles"}
ONLY = {"": "All", "starred": "Starred", "pinned": "Pinned"}
_MARKS = {"pinned": PINNED, "starred": STARRED}
_LONGEST = 300
# To say which version a hit is, its thread has to be opened: as far as time allows.
_VERSIONS_SECONDS = 0.05
_MOST_SCOPES = 40
_PASSAGES = 8
_SHOWN_OF_PASSAGE = 300


@dataclass(frozen=True)
class Asked:
    """What stands in the form. `wrong` is a sentence about a day that is none."""

    text: str = ""
    role: str = ""
    only: str = ""
    since: str = ""
    until: str = ""
    thread: str = ""
    project: str = ""
    files: bool = False
    start: int = 0
    wrong: str = ""

    @property
    def again(self) -> dict[str, str | None]:
        """What asks the same once more, but for where to begin."""
        fields = {"q": self.text, "role": self.role, "only": self.only, "thread": self.thread}
        fields |= {"project": self.project, "from": self.since, "to": self.until}
        return {**{k: v or None for k, v in fields.items()}, "files": "yes" if self.files else None}

    @property
    def is_narrowed(self) -> bool:
        fields = (self.role, self.only, self.since, self.until, self.thread, self.project)
        return any(fields) or self.files


@dataclass(frozen=True)
class Row:
    """One hit: where it leads, which version it is, if that is known, and the title of its thread
    where that stands nowhere else."""

    hit: Hit
    url: str
    version: str = ""
    title: str = ""


@dataclass(frozen=True)
class Group:
    thread: Thread
    rows: tuple[Row, ...]


@bp.get("")
def show() -> Response:
    asked = _asked()
    hits, groups = _found(asked)
    by_meaning = services().finder.reader.on and asked.role != TITLE
    shown: dict[str, Any] = {"asked": asked, "hits": hits, "groups": groups}
    shown["by_meaning"] = by_meaning and not asked.start
    if wants_fragment():
        return Response(fragment("search_results", **shown), mimetype="text/html")
    projects = [each for each in all_projects() if isinstance(each, Project)]
    return page("search", roles=ROLES, only=ONLY, known_projects=projects, **shown)


@bp.get("/near")
def near() -> str:
    """What is near in meaning: asked for after the hits, and not while the model is at work."""
    asked, patience = _asked(), time.monotonic() + _VERSIONS_SECONDS
    if not services().generation.is_quiet():
        return fragment("search_near", asked=asked, near=NearHits(), rows=[], waits=True)
    threads, found = _threads(asked), NearHits()
    if asked.text and not asked.wrong:
        found = services().finder.near(asked.text, _filters(asked), threads.__contains__)
    rows = [
        replace(_row(hit, patience), title=threads[hit.said.thread_id].title or "Untitled")
        for hit in found.hits
    ]
    return fragment("search_near", asked=asked, near=found, rows=rows, waits=False)


@bp.get("/files")
def in_files() -> str:
    """Passages of files that fit, of the threads used last: asked for after the page is there."""
    asked = _asked()
    threads = list(_threads(asked).values())
    documents = services().documents
    scopes: dict[str, Scope] = {}
    for thread in threads:
        if len(scopes) < _MOST_SCOPES and documents.status(documents.thread(thread.id)):
            scopes[thread.id] = documents.thread(thread.id)
    found: Iterable[Passage] = ()
    notes: tuple[str, ...] = ()
    if asked.text and scopes:
        try:
            answers = documents.search(scopes.values(), asked.text)
            found, notes = answers.passages[:_PASSAGES], answers.notes
        except StrataError as error:
            notes = (str(error),)
    where = {state.id: id for id, scope in scopes.items() for state in documents.status(scope)}
    question = question_from(asked.text)
    rows = [
        (each, where[each.file_id], snippet(each.text, question, _SHOWN_OF_PASSAGE))
        for each in found
        if each.file_id in where
    ]
    return fragment("search_files", rows=rows, notes=notes)


# --- inside ---


def _asked() -> Asked:
    def word(name: str, most: int = 64) -> str:
        return request.args.get(name, "").strip()[:most]

    role, only = word("role"), word("only")
    since, until = word("from"), word("to")
    wrong = ""
    try:
        _day(since), _day(until)
    except BadInput as error:
        wrong = str(error)
    return Asked(
        word("q", _LONGEST),
        role if role in ROLES else "",
        only if only in ONLY else "",
        since,
        until,
        word("thread"),
        word("project"),
        bool(word("files")),
        min(max(0, request.args.get("start", 0, type=int)), 100_000),
        wrong,
    )


def _found(asked: Asked) -> tuple[Hits, list[Group]]:
    if not asked.text or asked.wrong:
        return Hits(), []
    threads = _threads(asked)
    hits = services().finder.find(asked.text, _filters(asked), threads.__contains__, asked.start)
    known = [hit for hit in hits.hits if hit.said.thread_id in threads]
    patience = time.monotonic() + _VERSIONS_SECONDS
    return hits, [
        Group(threads[id], tuple(_row(hit, patience) for hit in rows))
        for id, rows in groupby(known, lambda hit: hit.said.thread_id)
    ]


def _filters(asked: Asked) -> Filters:
    since, until = _moment(_day(asked.since)), _moment(_day(asked.until), days=1)
    return Filters(asked.role, since, until, _MARKS.get(asked.only, 0))


def _threads(asked: Asked) -> dict[str, Thread]:
    """Those that who calls may read and asked for, newest first."""
    documents = services().documents
    found = {}
    for each in readable(services().library.threads(), of_thread):
        if not isinstance(each, Thread) or (asked.thread and each.id != asked.thread):
            continue
        if asked.project and project_id_of(each) != asked.project:
            continue
        if asked.files and not documents.status(documents.thread(each.id)):
            continue
        found[each.id] = each
    return found


def _row(hit: Hit, until: float) -> Row:
    said = hit.said
    if not said.message_id:
        return Row(hit, url_for("threads.show", thread_id=said.thread_id))
    anchor = f"message-{said.message_id}"
    url = url_for("threads.show", thread_id=said.thread_id, at=said.message_id, _anchor=anchor)
    if time.monotonic() > until:
        return Row(hit, url)
    try:
        return Row(hit, url, _version(said.thread_id, said.message_id))
    except StrataError:  # gone meanwhile; the index is told of it too
        return Row(hit, url)


def _version(thread_id: str, message_id: str) -> str:
    library = services().library
    shown = library.shown(thread_id, message_id)
    many = len(shown.versions)
    on_path = library.past.is_shown(thread_id, message_id)
    which = f"version {shown.version} of {many}" if many > 1 else ""
    elsewhere = "" if on_path else "on a branch that is not shown"
    return ", ".join(filter(None, (which, elsewhere)))


def _day(typed: str) -> date | None:
    """BadInput for what is not a day."""
    if not typed:
        return None
    try:
        return date.fromisoformat(typed)
    except ValueError:
        raise BadInput(f"“{typed}” is not a day.", do="Write it as 2026-12-31.") from None


def _moment(day: date | None, days: int = 0) -> int | None:
    """When it begins for the reader, or some days later."""
    try:
        return begins_at(day + timedelta(days=days), readers_zone()) if day else None
    except (OverflowError, ValueError, OSError):
        return None
