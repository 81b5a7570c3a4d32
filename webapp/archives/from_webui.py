"""A chat of Open WebUI's export: messages by their ids, each with its parent, or in older exports
a plain list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.come import ThreadCome, stable_id
from webapp.archives.grown import Node, Said, grown, thought, thread_with
from webapp.archives.json_text import loaded
from webapp.archives.loose import id_or_none, ids, mapping, milliseconds, rows, words
from webapp.archives.webui_details import told
from webapp.archives.webui_output import made_of
from webapp.chat.messages import Role, Status
from webapp.errors import BadInput
from webapp.threads import exact

PROGRAM: Final = "Open WebUI"
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool"}

_DRAWN: Final = re.compile(r"!\[[^\[\]]{0,300}\]\(data:image/[^()\s]*\)")


def is_one(value: Mapping[str, Any]) -> bool:
    return bool(_tree(_chat(value)) or isinstance(_chat(value).get("messages"), list))


def thread_of(value: Mapping[str, Any]) -> ThreadCome:
    """Raises BadInput for one without a message."""
    chat = _chat(value)
    raw = _tree(chat)
    nodes = dict(_nodes(raw)) if raw else _in_a_row(chat)
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
    """It stands within what the server knows of it, as a text of its own in a copy of the
    database, or alone."""
    found = value.get("chat", value)
    if isinstance(found, str):
        try:
            found = loaded(found.encode("utf-8", "replace"))
        except BadInput:
            return {}
    return mapping(found)


def _tree(chat: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = mapping(mapping(chat.get("history")).get("messages"))
    return {id: each for id, each in found.items() if isinstance(each, Mapping)}


def _nodes(raw: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Node]]:
    """What several answers were made into stands beside the answer it was asked for at."""
    for id, message in raw.items():
        parent = id_or_none(message.get("parentId"))
        yield id, Node(parent, ids(message.get("childrenIds")), _said(message))
        made = words(mapping(message.get("merged")).get("content"))
        if made.strip():
            at = milliseconds(message.get("timestamp"))
            yield f"{id}-merged", Node(parent, (), Said("assistant", made, at))


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
    text, calls = _words(message)
    text = "\n\n".join(filter(None, (_DRAWN.sub("[A picture]", text), *_pictures(message))))
    metadata = dict(_metadata(message, role))
    if message.get("error") is True and text.strip():
        text, metadata["error"] = "", text
    if calls:
        metadata["tool_calls"] = calls
    if not (text.strip() or metadata.keys() - {"usage"}):
        return None
    status: Status = "stopped" if message.get("done") is False else "ready"
    return Said(role, text, milliseconds(message.get("timestamp")), status, metadata)


def _words(message: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """From the text, which somebody may have changed; what it does not tell is told by the items
    that it was made of."""
    content = "\n\n".join(filter(None, _texts(message.get("content"))))
    if "<details" in content:
        return told(content)
    thinking, said, calls = made_of(message.get("output"))
    return thought(thinking, content if content.strip() else said), calls


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in rows(content):
        kind = words(part.get("type"))
        named = "[A picture]" if "image" in kind else f"[{kind.replace('_', ' ')}]"
        yield words(part.get("text")) or (named if kind not in ("", "text") else "")


def _pictures(message: Mapping[str, Any]) -> Iterator[str]:
    """They have no name there, and are shown below the text."""
    yield from ("[A picture]" for each in rows(message.get("files")) if _is_picture(each))


def _is_picture(file: Mapping[str, Any]) -> bool:
    kind = words(file.get("content_type"))
    return file.get("type") == "image" or kind.startswith("image/")


def _name(file: Mapping[str, Any]) -> str:
    inner = mapping(file.get("file"))
    names = (file.get("name"), file.get("title"), inner.get("filename"), file.get("url"))
    return next(filter(None, map(words, names)), "")


def _metadata(message: Mapping[str, Any], role: Role) -> Iterator[tuple[str, Any]]:
    names = [_name(each) for each in rows(message.get("files")) if not _is_picture(each)]
    if any(names):
        yield "attachments", [{"name": name} for name in names if name]
    error = message.get("error")
    about = mapping(error)
    failed = next(filter(None, map(words, (error, about.get("content"), about.get("message")))), "")
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
