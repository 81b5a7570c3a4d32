"""A chat of Open WebUI's export: messages by their ids, each with its parent, or in older exports
a plain list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.come import ThreadCome, stable_id
from webapp.archives.grown import Node, Said, grown, thread_with
from webapp.archives.loose import id_or_none, ids, mapping, milliseconds, rows, words
from webapp.archives.webui_details import told
from webapp.chat.messages import Role, Status
from webapp.errors import BadInput
from webapp.threads import exact

PROGRAM: Final = "Open WebUI"
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool"}


def is_one(value: Mapping[str, Any]) -> bool:
    return bool(_tree(_chat(value)) or isinstance(_chat(value).get("messages"), list))


def thread_of(value: Mapping[str, Any]) -> ThreadCome:
    """Raises BadInput for one without a message."""
    chat = _chat(value)
    raw = _tree(chat)
    nodes = {id: _node(each) for id, each in raw.items()} if raw else _in_a_row(chat)
    current = id_or_none(mapping(chat.get("history")).get("currentId"))
    if current not in nodes:
        current = next(reversed(nodes), None) if not raw else None
    given = words(value.get("id")) or words(chat.get("id"))
    id = stable_id(f"webui-{given}" if given else exact.dumps(value))
    began = milliseconds(value.get("created_at")) or milliseconds(chat.get("timestamp"))
    found = grown(nodes, current, id, began)
    if not found.messages:
        raise BadInput("There is no message in it.")
    title = words(value.get("title")) or words(chat.get("title"))
    updated = milliseconds(value.get("updated_at"))
    return ThreadCome(thread_with(id, title, (began, updated), found), found.messages)


def _chat(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """It stands within what the server knows of it, or alone."""
    return mapping(value["chat"]) if "chat" in value else value


def _tree(chat: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = mapping(mapping(chat.get("history")).get("messages"))
    return {id: each for id, each in found.items() if isinstance(each, Mapping)}


def _node(message: Mapping[str, Any]) -> Node:
    children = ids(message.get("childrenIds"))
    return Node(id_or_none(message.get("parentId")), children, _said(message))


def _in_a_row(chat: Mapping[str, Any]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    before: str | None = None
    for number, message in enumerate(rows(chat.get("messages")), 1):
        id = words(message.get("id")) or f"m{number}"
        if id not in found:
            found[id] = Node(before, (), _said(message))
            before = id
    return found


def _said(message: Mapping[str, Any]) -> Said | None:
    role: Role = _ROLES.get(words(message.get("role")), "system")
    text, calls = told("\n\n".join(filter(None, _texts(message.get("content")))))
    metadata = dict(_metadata(message, role))
    if calls:
        metadata["tool_calls"] = calls
    if not (text.strip() or metadata.keys() - {"usage"}):
        return None
    status: Status = "stopped" if message.get("done") is False else "ready"
    return Said(role, text, milliseconds(message.get("timestamp")), status, metadata)


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in rows(content):
        kind = words(part.get("type"))
        yield words(part.get("text")) if kind == "text" else "[A picture]" if kind else ""


def _metadata(message: Mapping[str, Any], role: Role) -> Iterator[tuple[str, Any]]:
    names = [words(each.get("name")) for each in rows(message.get("files"))]
    if any(names):
        yield "attachments", [{"name": name} for name in names if name]
    error = message.get("error")
    failed = words(error) or words(mapping(error).get("content"))
    if failed:
        yield "error", failed
    if role == "assistant":
        usage: dict[str, Any] = {"model": words(message.get("model"))}
        passages = list(_passages(message))
        usage |= {"passages": passages} if passages else {}
        if passages or usage["model"]:
            yield "usage", usage


def _passages(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What the answer was made from, in the order of its numbers."""
    for source in rows(message.get("sources")) or rows(message.get("citations")):
        about = mapping(source.get("source"))
        texts = source.get("document")
        for number, text in enumerate(texts if isinstance(texts, list) else ()):
            places = rows(source.get("metadata"))
            place = places[number] if number < len(places) else {}
            name = (
                words(about.get("name")) or words(place.get("name")) or words(place.get("source"))
            )
            found = {"file": name, "text": words(text)}
            address = words(about.get("url")) or words(place.get("source"))
            if address.startswith(("http://", "https://")):
                found["address"] = address
            yield found
