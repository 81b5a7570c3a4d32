"""Whether an answer needs the files of its conversation, asked of the model in a constrained reply.

Small models do not call tools well (they invent calls, or call for "hello"), yet nearly all of
them choose well among three actions when nothing else can be written and examples go before. The
answer itself is never constrained. All requests begin with the same words, so that an engine which
keeps what it read reads only the message anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from webapp.chat.prompt import Part

Action = Literal["answer", "retrieve", "list_attachments"]


@dataclass(frozen=True)
class Decision:
    """`query` is what the model would look for; empty where the question says it."""

    action: Action
    query: str = ""


LONGEST_REPLY: Final = 64
"""Tokens; most replies have 6 to 20."""
LONGEST_QUERY: Final = 160
_ACTIONS: Final[dict[str, Action]] = {
    "answer_directly": "answer",
    "retrieve": "retrieve",
    "list_attachments": "list_attachments",
}
_MOST_NAMES: Final = 20
_LONGEST_NAME: Final = 80
_LONGEST_ASKED: Final = 600
_LONGEST_BEFORE: Final = 200


def _only(action: str, **more: Any) -> dict[str, Any]:
    properties = {"action": {"const": action}, **more}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_QUERY: Final = {"type": "string", "minLength": 1, "maxLength": LONGEST_QUERY}
SCHEMA: Final[dict[str, Any]] = {
    "anyOf": [
        _only("answer_directly"),
        _only("retrieve", query=_QUERY),
        _only("list_attachments"),
    ]
}
"""The reply: one of three objects, only one of which has a query."""
SHORT_SCHEMA: Final[dict[str, Any]] = {"anyOf": [_only(action) for action in _ACTIONS]}
"""The reply where the question itself is what to look for: six tokens instead of twenty."""

_TASK: Final = """\
You route messages. The user has attached files to a chat. Reply to each message with one JSON \
object:
{"action": "retrieve", "query": "..."} when it asks for information of any kind: the files may \
hold it. The query makes sense by itself.
{"action": "answer_directly"} for greetings, thanks, arithmetic, jokes, poems, translations, and \
changes to an earlier answer.
{"action": "list_attachments"} when it asks which files there are."""
_EXAMPLES: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("lease.pdf", "", "How long is the notice period?", "length of the notice period"),
    ("manual.pdf", "", "Hello!", ""),
    ("manual.pdf", "", "Which command shows the version?", "command that shows the version"),
    ("manual.pdf", "", "12 + 30", ""),
    ("lease.pdf", "", "What have I uploaded?", "list_attachments"),
    ("lease.pdf", "What is the deposit?", "and the fee?", "fee in the lease"),
    ("说明.pdf", "", "保修期是多久？", "保修期的长度"),
    ("lease.pdf", "How long is the lease?", "Make that shorter.", ""),
    ("lease.pdf", "", "Write a short poem about autumn.", ""),
)
"""File, the question before, the message, and what to look for: nothing, or the files' names."""


def decision_parts(asked: Sequence[str], files: Sequence[str]) -> list[Part]:
    """The request for a decision on the last of `asked`, what a person said, oldest first."""
    before = asked[-2] if len(asked) > 1 else ""
    return [*_LEAD, ("user", _message(_names(files), before, asked[-1]))]


def decision_in(reply: str) -> Decision:
    """What was decided. A reply that cannot be read means that the files are searched, for an
    answer is seldom worse for a passage too many. Nothing to search for is left to the question."""
    try:
        found = json.loads(reply)
    except (ValueError, RecursionError):
        return Decision("retrieve")
    action = _ACTIONS.get(str(found.get("action"))) if isinstance(found, dict) else None
    query = found.get("query") if isinstance(found, dict) else None
    words = " ".join(query.split())[:LONGEST_QUERY] if isinstance(query, str) else ""
    if action in (None, "retrieve"):
        return Decision("retrieve", words if _says(words) else "")
    return Decision(action)


def _says(words: str) -> bool:
    return any(character.isalnum() for character in words)


def _names(files: Sequence[str]) -> str:
    shown = [_short(name, _LONGEST_NAME) for name in files[:_MOST_NAMES]]
    more = len(files) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _message(names: str, before: str, message: str) -> str:
    earlier = f"Before: {_short(before, _LONGEST_BEFORE)}\n" if before else ""
    return f"Files: {names}\n{earlier}Message: {_short(message, _LONGEST_ASKED)}"


def _short(text: str, longest: int) -> str:
    """On one line; of a long text its beginning and end, where questions stand."""
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return text


def _reply(wanted: str) -> str:
    if not wanted or wanted == "list_attachments":
        return json.dumps({"action": wanted or "answer_directly"})
    return json.dumps({"action": "retrieve", "query": wanted}, ensure_ascii=False)


def _lead() -> list[Part]:
    parts: list[Part] = [("system", _TASK)]
    for names, before, message, wanted in _EXAMPLES:
        parts += [("user", _message(names, before, message)), ("assistant", _reply(wanted))]
    return parts


_LEAD: Final = _lead()
