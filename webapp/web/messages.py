"""Messages of a thread: ask, answer anew, walk between versions, stop."""

from __future__ import annotations

from flask import Blueprint, Response, request

from webapp.chat.messages import Message
from webapp.web.after_act import conversation, page_of, place_of
from webapp.web.cited import cited
from webapp.web.forms import posted_text
from webapp.web.outlook import outlook
from webapp.web.rendering import done, fragment, placed, printable
from webapp.web.services import services

bp = Blueprint("messages", __name__, url_prefix="/threads/<thread_id>")


@bp.post("/messages")
def ask(thread_id: str) -> Response:
    """`after` is the last message the page showed: the question goes under its newest leaf."""
    text, after = posted_text(), request.form.get("after") or None
    answer = services().generation.ask(thread_id, text, after=after)
    return done(page_of(thread_id, answer.id), lambda: _asked(answer, after))


@bp.post("/messages/<message_id>/answers")
def answer(thread_id: str, message_id: str) -> Response:
    """An answer to a question that is stored but has none, after a crash or an import."""
    answer = services().generation.answer(thread_id, message_id)
    return done(page_of(thread_id, answer.id), lambda: conversation(thread_id))


@bp.post("/messages/<message_id>/versions")
def regenerate(thread_id: str, message_id: str) -> Response:
    """`count` says how many new versions, 1 to 4."""
    count = request.form.get("count", 1, type=int)
    answer = services().generation.regenerate(thread_id, message_id, count=count)
    return done(page_of(thread_id, answer.id), lambda: conversation(thread_id))


@bp.post("/active")
def switch(thread_id: str) -> Response:
    message_id = request.form.get("message", "")
    services().library.switch(thread_id, message_id)
    response = done(page_of(thread_id, message_id), lambda: conversation(thread_id))
    response.headers["HX-Push-Url"] = place_of(thread_id, message_id)
    return response


@bp.post("/messages/<message_id>/stop")
def stop(thread_id: str, message_id: str) -> Response:
    """The stream itself tells when it has stopped, so there is nothing to swap."""
    services().library.message(thread_id, message_id)
    services().generation.stop(message_id)
    return done(page_of(thread_id, message_id))


@bp.get("/messages/<message_id>/foot")
def foot(thread_id: str, message_id: str) -> str:
    """With the answer's words, if they were compared with its files since they were laid out."""
    shown = services().library.shown(thread_id, message_id)
    html = fragment("message_foot", shown=shown, thread_id=thread_id)
    again = cited(shown.message).grounded
    return html + (fragment("cited_body", message=shown.message) if again else "")


@bp.get("/messages/<message_id>/text")
def source(thread_id: str, message_id: str) -> Response:
    """The message as it was written, for copying."""
    text = printable(services().library.message(thread_id, message_id).text)
    return Response(text, mimetype="text/plain")


def _asked(answer: Message, after: str | None) -> str | Response:
    """Only the new turn when it follows what the page shows; else the whole conversation."""
    library, thread_id = services().library, answer.thread_id
    # Messages of a thread that was never branched do not say themselves what they follow.
    above = library.view(thread_id, at=answer.id, before=answer.id, limit=2).shown
    question, follows = above[-1], above[-2].message.id if len(above) == 2 else None
    if follows != after or len(question.versions) > 1:
        return conversation(thread_id)
    turn = (question, library.shown(thread_id, answer.id))
    seen = outlook(thread_id, answer.id)
    html = fragment("turn", turn=turn, thread_id=thread_id, outlook=seen)
    return placed(html, "#messages", "beforeend")
