"""A conversation of Claude's export: messages that know which one they follow, or in older exports
a plain list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.claude_words import calls_of, text_of
from webapp.archives.come import ThreadCome, stable_id
from webapp.archives.grown import Node, Said, grown, thread_with
from webapp.archives.loose import id_or_none, milliseconds, rows, words
from webapp.chat.messages import Role
from webapp.errors import BadInput
from webapp.threads import exact

PROGRAM: Final = "Claude"
_PASTED: Final = "Pasted text"


def is_one(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("chat_messages"), list)


def thread_of(value: Mapping[str, Any]) -> ThreadCome:
    """Raises BadInput for one without a message."""
    nodes = _nodes(rows(value.get("chat_messages")))
    given = words(value.get("uuid"))
    id = stable_id(f"claude-{given}" if given else exact.dumps(value))
    times = milliseconds(value.get("created_at")), milliseconds(value.get("updated_at"))
    found = grown(nodes, id_or_none(value.get("current_leaf_message_uuid")), id, times[0])
    if not found.messages:
        raise BadInput("There is no message in it.")
    return ThreadCome(thread_with(id, value.get("name"), times, found), found.messages)


def _nodes(messages: list[Mapping[str, Any]]) -> dict[str, Node]:
    """Where no message knows which one it follows, each follows the one before it."""
    in_a_row = not any(words(each.get("parent_message_uuid")) for each in messages)
    found: dict[str, Node] = {}
    before: str | None = None
    for number, message in enumerate(messages, 1):
        id = words(message.get("uuid")) or f"m{number}"
        if id not in found:
            parent = before if in_a_row else id_or_none(message.get("parent_message_uuid"))
            found[id] = Node(parent, (), _said(message))
            before = id
    return found


def _said(message: Mapping[str, Any]) -> Said | None:
    role: Role = "user" if message.get("sender") == "human" else "assistant"
    text = text_of(message)
    metadata = dict(_metadata(message))
    if not (text.strip() or metadata):
        return None
    return Said(role, text, milliseconds(message.get("created_at")), "ready", metadata)


def _metadata(message: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The text of files stands with their message; of others only the names are there."""
    attached = rows(message.get("attachments"))
    inline = [each for each in attached if words(each.get("extracted_content")).strip()]
    if inline:
        yield (
            "inline_file_contents",
            [
                {
                    "name": words(each.get("file_name")) or _PASTED,
                    "content": each["extracted_content"],
                }
                for each in inline
            ],
        )
    files = [words(each.get("file_name")) for each in (*attached, *rows(message.get("files")))]
    if any(files):
        yield "attachments", [{"name": name} for name in files if name]
    if calls := calls_of(message):
        yield "tool_calls", calls
