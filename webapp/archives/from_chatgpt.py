"""A conversation of ChatGPT's export: a tree of nodes (`mapping`), of which some say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webapp.archives.chatgpt_words import asked_of, text_of, thinking_of
from webapp.archives.come import ThreadCome, stable_id
from webapp.archives.grown import Node, Said, grown, thread_with
from webapp.archives.loose import call, id_or_none, ids, mapping, milliseconds, rows, words
from webapp.chat.messages import Role, Status
from webapp.errors import BadInput
from webapp.threads import exact

PROGRAM: Final = "ChatGPT"
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_TO_READERS: Final = ("", "all", "assistant", "user")
_CUT_SHORT: Final = ("in_progress", "finished_partial_completion")
_BROKEN_OFF: Final = ("interrupted", "max_tokens")
_FARTHEST: Final = 200


def is_one(value: Mapping[str, Any]) -> bool:
    return "mapping" in value


def thread_of(value: Mapping[str, Any]) -> ThreadCome:
    """Raises BadInput for one without a message."""
    raw = {id: mapping(node) for id, node in mapping(value.get("mapping")).items()}
    nodes = {id: _node(id, raw) for id in raw}
    given = words(value.get("conversation_id")) or words(value.get("id"))
    id = stable_id(f"chatgpt-{given}" if given else exact.dumps(value))
    began = milliseconds(value.get("create_time"))
    found = grown(nodes, id_or_none(value.get("current_node")), id, began)
    if not found.messages:
        raise BadInput("There is no message in it.")
    updated = milliseconds(value.get("update_time"))
    return ThreadCome(thread_with(id, value.get("title"), (began, updated), found), found.messages)


def attached(value: Mapping[str, Any]) -> dict[str, str]:
    """The names of files that came with its questions, by their ids; pictures aside."""
    found: dict[str, str] = {}
    for node in mapping(value.get("mapping")).values():
        about = mapping(mapping(mapping(node).get("message")).get("metadata"))
        for each in rows(about.get("attachments")):
            kind = words(each.get("mime_type")) or words(each.get("mimeType"))
            if words(each.get("id")) and not kind.startswith("image/"):
                found[each["id"]] = words(each.get("name")) or each["id"]
    return found


def _node(id: str, raw: Mapping[str, Mapping[str, Any]]) -> Node:
    """What its page never showed says nothing here, unless it is what a tool answered."""
    about = raw[id]
    message = mapping(about.get("message"))
    parent, children = id_or_none(about.get("parent")), ids(about.get("children"))
    if _is_hidden(message) and not (_role(message) == "tool" and _call_before(id, raw)):
        return Node(parent, children)
    thinking = "" if _called(message) else thinking_of(message)
    return Node(parent, children, None if thinking else _said(id, message, raw), thinking)


def _is_hidden(message: Mapping[str, Any]) -> bool:
    told_to_model = mapping(message.get("author")).get("role") == "system"
    about = mapping(message.get("metadata"))
    return told_to_model or about.get("is_visually_hidden_from_conversation") is True


def _said(id: str, message: Mapping[str, Any], raw: Mapping[str, Mapping[str, Any]]) -> Said | None:
    role, metadata = _role(message), _metadata(message)
    fields: dict[str, Any] = {}
    text = text_of(message)
    if tool := _called(message):
        fields["tool_calls"] = [call(stable_id(id), tool, asked_of(message))]
    elif role == "tool":
        fields["tool_call_id"] = _call_before(id, raw)
    if not (text.strip() or fields.get("tool_calls") or metadata.get("attachments")):
        return None
    end = mapping(mapping(message.get("metadata")).get("finish_details")).get("type")
    cut = message.get("status") in _CUT_SHORT or end in _BROKEN_OFF
    status: Status = "stopped" if cut else "ready"
    at = milliseconds(message.get("create_time"))
    return Said(role, text, at, status, metadata, fields)


def _role(message: Mapping[str, Any]) -> Role:
    return _ROLES.get(words(mapping(message.get("author")).get("role")), "system")


def _metadata(message: Mapping[str, Any]) -> dict[str, Any]:
    about = mapping(message.get("metadata"))
    found: dict[str, Any] = {}
    if _role(message) == "assistant" and words(about.get("model_slug")):
        found["usage"] = {"model": about["model_slug"]}
    names = [words(each.get("name")) for each in rows(about.get("attachments"))]
    if any(names):
        found["attachments"] = [{"name": name} for name in names if name]
    return found


def _called(message: Mapping[str, Any]) -> str:
    """The tool that an answer was sent to, whose words stay to be read; empty for the reader."""
    recipient = words(message.get("recipient"))
    return recipient if _role(message) == "assistant" and recipient not in _TO_READERS else ""


def _call_before(id: str, raw: Mapping[str, Mapping[str, Any]]) -> str:
    """The call that a tool answers: the nearest one above, past what it answered before and what
    nobody saw."""
    at = id_or_none(raw[id].get("parent"))
    for _ in range(_FARTHEST):
        if at is None or at not in raw:
            break
        message = mapping(raw[at].get("message"))
        hidden = _is_hidden(message)
        if _called(message) and not hidden:
            return stable_id(at)
        if (
            not hidden
            and _role(message) != "tool"
            and text_of(message)
            and not thinking_of(message)
        ):
            break
        at = id_or_none(raw[at].get("parent"))
    return ""
