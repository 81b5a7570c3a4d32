"""A conversation of LibreChat's export: a tree of messages within each other, or a list of them
with the parent of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.come import ThreadCome, stable_id
from webapp.archives.grown import Node, Said, grown, thread_with
from webapp.archives.librechat_words import calls_of, failure_of, text_of
from webapp.archives.loose import id_or_none, mapping, milliseconds, rows, words
from webapp.chat.messages import Role, Status
from webapp.errors import BadInput

PROGRAM: Final = "LibreChat"
_LISTS: Final = ("messagesTree", "messages")


def is_one(value: Mapping[str, Any]) -> bool:
    listed = any(isinstance(value.get(name), list) for name in _LISTS)
    return bool(words(value.get("conversationId"))) and listed


def thread_of(value: Mapping[str, Any]) -> ThreadCome:
    """Raises BadInput for one without a message."""
    raw = {words(each.get("messageId")): each for each in _messages(value)}
    nodes = {id: _node(each) for id, each in raw.items() if id}
    id = stable_id(f"librechat-{words(value.get('conversationId'))}")
    found = grown(nodes, None, id, 0)
    if not found.messages:
        raise BadInput("There is no message in it.")
    title = value.get("title") or mapping(value.get("options")).get("title")
    return ThreadCome(thread_with(id, title, (0, 0), found), found.messages)


def _messages(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All of them, parents before their children."""
    top: list[Mapping[str, Any]] = next(
        filter(None, (rows(value.get(name)) for name in _LISTS)), []
    )
    waiting = top[::-1]
    while waiting:
        message = waiting.pop()
        yield message
        waiting += reversed(rows(message.get("children")))


def _node(message: Mapping[str, Any]) -> Node:
    return Node(id_or_none(message.get("parentMessageId")), (), _said(message))


def _said(message: Mapping[str, Any]) -> Said | None:
    role: Role = "user" if message.get("isCreatedByUser") is True else "assistant"
    text, metadata = text_of(message), dict(_metadata(message, role))
    if failed := failure_of(message):
        metadata["error"] = failed
    if not (text.strip() or metadata.keys() - {"usage"}):
        return None
    status: Status = "stopped" if message.get("unfinished") is True else "ready"
    return Said(role, text, milliseconds(message.get("createdAt")), status, metadata)


def _metadata(message: Mapping[str, Any], role: Role) -> Iterator[tuple[str, Any]]:
    files = [words(each.get("filename")) for each in rows(message.get("files"))]
    if any(files):
        yield "attachments", [{"name": name} for name in files if name]
    if calls := calls_of(message):
        yield "tool_calls", calls
    if role == "assistant" and words(message.get("model")):
        yield "usage", {"model": message["model"]}
