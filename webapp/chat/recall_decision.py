"""Whether a message needs what was said in earlier conversations, asked of the model in a
constrained reply: for models that do not call tools well. The answer itself is never constrained.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from webapp.chat.deciding import QUERY, message, only, read, reply
from webapp.chat.prompt import Part

SCHEMA: Final[dict[str, Any]] = {"anyOf": [only("answer_directly"), only("recall", query=QUERY)]}
"""The reply: one of two objects, only one of which has a query."""
SHORT_SCHEMA: Final[dict[str, Any]] = {"anyOf": [only("answer_directly"), only("recall")]}
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
    return [*_LEAD, ("user", message(before, asked[-1]))]


def wanted_in(written: str) -> str | None:
    """The model's words for what is to be looked for in earlier conversations, if it gave any; None
    for nothing, and for a reply that cannot be read: what one said elsewhere is looked at only when
    that is sure."""
    found = read(written)
    if found is None or found[0] != "recall":
        return None
    return found[1] or ""


def _lead() -> list[Part]:
    parts: list[Part] = [("system", _TASK)]
    for before, asked, wanted in _EXAMPLES:
        answer = reply("recall", wanted) if wanted else reply("answer_directly")
        parts += [("user", message(before, asked)), ("assistant", answer)]
    return parts


_LEAD: Final = _lead()
