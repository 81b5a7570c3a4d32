"""Whether a message needs what was said in earlier conversations, asked of the model in a
constrained reply: for models that do not call tools well. The answer itself is never constrained.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from webapp.chat.decision import LONGEST_QUERY
from webapp.chat.prompt import Part

LONGEST_REPLY: Final = 64
"""Tokens; most replies have 6 to 20."""
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
SCHEMA: Final[dict[str, Any]] = {"anyOf": [_only("answer_directly"), _only("recall", query=_QUERY)]}
"""The reply: one of two objects, only one of which has a query."""
SHORT_SCHEMA: Final[dict[str, Any]] = {"anyOf": [_only("answer_directly"), _only("recall")]}
"""The reply where the question itself is what to look for."""

_TASK: Final = """\
You route messages. The user had other conversations with you before this one. Reply to each \
message with one JSON object:
{"action": "recall", "query": "..."} when it is about something from those: what was said, decided \
or recommended earlier, or the user's own life, people, plans and things. The query makes sense \
by itself.
{"action": "answer_directly"} for all else: greetings, thanks, general knowledge, arithmetic, \
code, poems, translations, and what is about this conversation."""
_EXAMPLES: Final[tuple[tuple[str, str, str], ...]] = (
    ("", "Which hotel did you recommend for Rome?", "hotel recommended for Rome"),
    ("", "Hello!", ""),
    ("", "What is the name of my sister?", "name of my sister"),
    ("", "How do tides work?", ""),
    ("", "What did we decide about the budget last week?", "decision about the budget"),
    ("", "12 + 30", ""),
    ("", "Who wrote Hamlet?", ""),
    ("", "My sister lives in Rome.", ""),
    ("Write a function that sorts names.", "Make it shorter.", ""),
    ("", "上次我们说的书叫什么名字？", "上次说的书的名字"),
    ("", "What is the capital of Peru?", ""),
    ("", "Thank you!", ""),
    ("How old is my car?", "and its colour?", "colour of my car"),
    ("", "Write a short poem about autumn.", ""),
)
"""The question before, the message, and what to look for, if anything."""


def decision_parts(asked: Sequence[str]) -> list[Part]:
    """The request for a decision on the last of `asked`, what a person said, oldest first."""
    before = asked[-2] if len(asked) > 1 else ""
    return [*_LEAD, ("user", _message(before, asked[-1]))]


def wanted_in(reply: str) -> str | None:
    """The model's words for what is to be looked for in earlier conversations, if it gave any; None
    for nothing, and for a reply that cannot be read: what one said elsewhere is looked at only when
    that is sure."""
    try:
        found = json.loads(reply)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("action") != "recall":
        return None
    query = found.get("query")
    return " ".join(query.split())[:LONGEST_QUERY] if isinstance(query, str) else ""


def _message(before: str, message: str) -> str:
    earlier = f"Before: {_short(before, _LONGEST_BEFORE)}\n" if before else ""
    return f"{earlier}Message: {_short(message, _LONGEST_ASKED)}"


def _short(text: str, longest: int) -> str:
    """On one line; of a long text its beginning and end, where questions stand."""
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return text


def _reply(wanted: str) -> str:
    found = {"action": "recall", "query": wanted} if wanted else {"action": "answer_directly"}
    return json.dumps(found, ensure_ascii=False)


def _lead() -> list[Part]:
    parts: list[Part] = [("system", _TASK)]
    for before, message, wanted in _EXAMPLES:
        parts += [("user", _message(before, message)), ("assistant", _reply(wanted))]
    return parts


_LEAD: Final = _lead()
