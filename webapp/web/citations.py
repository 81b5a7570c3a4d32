"""The passages that an answer rests on: one of them with what stands around it in its file, and the
list of all, which a page looks for once more after an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Blueprint, Response, request, url_for

from webapp.chat.messages import Message
from webapp.chat.thinking import spoken
from webapp.documents.scope import Scope
from webapp.errors import NotFound, StrataError
from webapp.search.folding import composed
from webapp.search.index import said
from webapp.web.access import may_do
from webapp.web.after_act import place_of
from webapp.web.cited import Cited, Source, Span, Support, cited
from webapp.web.rendering import done, fragment, page
from webapp.web.services import services
from webapp.web.things import of_project, of_thread

bp = Blueprint("citations", __name__, url_prefix="/threads/<thread_id>/messages/<message_id>")

AROUND = 600  # characters before and after a passage
PASSAGES_A_PAGE = 20
MOST_TRIES = 16
ELSEWHERE = (
    "This thread is not shared with you, or no longer exists. The passage is shown as it was then."
)
REWORDED = "This message was changed since. The passage is shown as it was then."
WEB = "A tool found this web page. Strata shows what the tool said about it and loads nothing."


@dataclass(frozen=True)
class PassageRead:
    """`pieces` are the passage's words, each with whether it supports the sentence; `before` and
    `after` stand around it in its file. `gone` says why these are not known. `place` is where the
    words stand that support something, as far as that is known."""

    source: Source
    pieces: tuple[tuple[str, bool], ...]
    before: str = ""
    after: str = ""
    gone: str = ""
    link: str = ""
    support: Support | None = None
    sentence: str = ""
    threshold: float = 0.0
    place: str = ""


@bp.get("/passages/<int:number>")
def show(thread_id: str, message_id: str, number: int) -> Response:
    """`?mark=` names the sentence that is supported; without it all such parts are shown."""
    read = _read(thread_id, message_id, number)
    thread = services().library.view(thread_id, limit=1).thread
    return page("passage", thread=thread, thread_id=thread_id, message_id=message_id, read=read)


@bp.get("/passages/<int:number>/card")
def card(thread_id: str, message_id: str, number: int) -> str:
    """The same, to be read beside the answer."""
    return fragment("cited_passage", read=_read(thread_id, message_id, number))


@bp.get("/sources")
def sources(thread_id: str, message_id: str) -> str:
    """The list under an answer; with the answer's words, once they have been compared with it.
    `?tries=` counts how often the page has looked."""
    message = services().library.message(thread_id, message_id)
    tries = min(max(1, request.args.get("tries", 1, type=int)), MOST_TRIES)
    html = fragment("message_sources", message=message, thread_id=thread_id, tries=tries)
    return html + (fragment("cited_body", message=message) if cited(message).grounded else "")


@bp.post("/grounding")
def compare(thread_id: str, message_id: str) -> Response:
    """Compare an answer with its sources, now."""
    groundings = services().generation.groundings
    if groundings is not None:
        groundings.again(thread_id, message_id)
    return done(place_of(thread_id, message_id), lambda: sources(thread_id, message_id))


# --- inside ---


def _read(thread_id: str, message_id: str, number: int) -> PassageRead:
    message = services().library.message(thread_id, message_id)
    known = cited(message)
    if not 1 <= number <= len(known.sources):
        raise NotFound(
            "This answer has no such passage.", do="Go back to the answer and open it again."
        )
    source = known.sources[number - 1]
    support = _support(known, number)
    supports = [support] if support else [each for each in known.supports if _is_of(each, number)]
    spans = [each.span for each in supports if each.span]
    read = PassageRead(
        source,
        _pieces(source.text, spans),
        support=support,
        sentence=_sentence(message, support),
        threshold=known.threshold,
        place=(support.place if support else "") or known.place_of(source),
    )
    return _surrounded(thread_id, read)


def _is_of(support: Support, number: int) -> bool:
    return support.source == number - 1


def _support(known: Cited, number: int) -> Support | None:
    """The one that the reader came by."""
    mark = request.args.get("mark", -1, type=int)
    found = known.supports[mark] if 0 <= mark < len(known.supports) else None
    return found if found and _is_of(found, number) else None


def _sentence(message: Message, support: Support | None) -> str:
    return spoken(message.text)[slice(*support.sentence)].strip() if support else ""


def _pieces(text: str, spans: list[Span]) -> tuple[tuple[str, bool], ...]:
    pieces, at = [], 0
    for start, end in sorted(spans):
        first, last = max(at, start), min(end, len(text))
        if first < last:
            pieces += [(text[at:first], False), (text[first:last], True)]
            at = last
    return tuple(piece for piece in (*pieces, (text[at:], False)) if piece[0])


def _surrounded(thread_id: str, read: PassageRead) -> PassageRead:
    """With its file's words around it, as far as the file is there and still says so."""
    source, documents = read.source, services().documents
    if source.address:
        return replace(read, gone=WEB)
    if source.thread:
        return _in_its_thread(read)
    gone = "This file is no longer here. The passage is shown as it was when it was read."
    try:
        if not source.file_id:
            return replace(read, gone=gone)
        scope = _scope(thread_id, source)
        file = documents.state(scope, source.file_id)
        words = documents.text(scope, source.file_id).text
    except NotFound:
        return replace(read, gone=gone)
    except StrataError as error:
        return replace(read, gone=str(error))
    start = source.order // PASSAGES_A_PAGE * PASSAGES_A_PAGE
    at = _files_at(thread_id, source)
    link = f"{at}/{file.id}?from={start}#passage-{source.order}"
    if words[source.start : source.end] != source.text:
        changed = "This file was read again since. The passage is shown as it was then."
        return replace(read, gone=changed, link=link)
    before = words[max(0, source.start - AROUND) : source.start]
    after = words[source.end : source.end + AROUND]
    return replace(read, before=before, after=after, link=link)


def _in_its_thread(read: PassageRead) -> PassageRead:
    """With the words around it in its message, for who may read that thread."""
    source, library = read.source, services().library
    try:
        thread = library.thread(source.thread)
        if not may_do("read", of_thread(thread)):
            return replace(read, gone=ELSEWHERE)
        message = library.message(source.thread, source.id)
    except StrataError:
        return replace(read, gone=ELSEWHERE)
    link = place_of(source.thread, source.id)
    words = composed(said(message, source.thread).text)
    if words[source.start : source.end] != source.text:
        return replace(read, gone=REWORDED, link=link)
    before = words[max(0, source.start - AROUND) : source.start]
    return replace(read, before=before, after=words[source.end : source.end + AROUND], link=link)


def _scope(thread_id: str, source: Source) -> Scope:
    """Whose files the passage is of: the thread's, or those of the project it was in then."""
    documents = services().documents
    if source.project_id:
        project = services().projects.project(source.project_id)
        if not may_do("read", of_project(project)):
            raise NotFound(
                "This passage is from a project that is not shared with you.", do="Ask its owner."
            )
        return documents.project(source.project_id)
    return documents.thread(thread_id)


def _files_at(thread_id: str, source: Source) -> str:
    if source.project_id:
        return url_for("project_files.show", project_id=source.project_id)
    return url_for("documents.show", thread_id=thread_id)
