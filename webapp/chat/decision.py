"""Whether an answer needs the files of its conversation, asked of the model in a constrained reply.

Small models do not call tools well (they invent calls, or call for "hello"), yet nearly all of
them choose well among three actions when nothing else can be written. The answer itself is never
constrained. The request goes on from the conversation as it is sent, so that nothing of it is
read again.
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
Do not answer yet. First decide, with one JSON object. I attached these files: {names}.
{{"action": "retrieve", "query": "..."}} if my message asks for any fact, rule, name, number, \
command or explanation: it may stand in the files, so look there first. The query makes sense by \
itself.
{{"action": "answer_directly"}} only for greetings, thanks, arithmetic, jokes, poems, \
translations, or changes to what was said before.
{{"action": "list_attachments"}} if I ask which files there are.

Examples:
"How long is the notice period?" {{"action": "retrieve", "query": "length of the notice period"}}
"Which command shows the version?" {{"action": "retrieve", "query": "command to show the version"}}
"Hi there!" {{"action": "answer_directly"}}
"12 + 30" {{"action": "answer_directly"}}
"Which files do you have?" {{"action": "list_attachments"}}
{asked}"""


def decision_parts(said: Sequence[Part], files: Sequence[str]) -> list[Part]:
    """The conversation as it is sent, which ends with the question, and the request for a
    decision in the same turn: templates demand that roles alternate."""
    *before, (role, question) = said
    task = _TASK.format(names=_names(files), asked=_quoted(question))
    return [*before, (role, f"{question}\n\n---\n{task}")]


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
    shown = [_quoted(name, _LONGEST_NAME) for name in files[:_MOST_NAMES]]
    more = len(files) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _quoted(text: str, longest: int = _LONGEST_ASKED) -> str:
    """On one line; of a long text its beginning and end, where questions stand."""
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return json.dumps(text, ensure_ascii=False)
