"""Whether an answer needs the files of its conversation, asked of the model in a constrained reply.

Small models do not call tools well (they invent calls, or call for "hello"), yet nearly all of
them choose well among three actions when nothing else can be written and examples go before. The
answer itself is never constrained. All requests begin with the same words, so that an engine which
keeps what it read reads only the message anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from webapp.chat.deciding import QUERY, message, only, read, reply, short
from webapp.chat.prompt import Part

Action = Literal["answer", "retrieve", "list_attachments"]


@dataclass(frozen=True)
class Decision:
    """`query` is what the model would look for; empty where the question says it."""

    action: Action
    query: str = ""


_ACTIONS: Final[dict[str, Action]] = {
    "answer_directly": "answer",
    "retrieve": "retrieve",
    "list_attachments": "list_attachments",
}
_MOST_NAMES: Final = 20
_LONGEST_NAME: Final = 80
SCHEMA: Final[dict[str, Any]] = {
    "anyOf": [
        only("answer_directly"),
        only("retrieve", query=QUERY),
        only("list_attachments"),
    ]
}
"""The reply: one of three objects, only one of which has a query."""
SHORT_SCHEMA: Final[dict[str, Any]] = {"anyOf": [only(action) for action in _ACTIONS]}
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
    return [*_LEAD, ("user", _asked(_names(files), before, asked[-1]))]


def decision_in(written: str) -> Decision:
    """What was decided. A reply that cannot be read means that the files are searched, for an
    answer is seldom worse for a passage too many. Nothing to search for is left to the question."""
    found = read(written)
    if found is None:
        return Decision("retrieve")
    action, words = _ACTIONS.get(found[0]), found[1] or ""
    if action in (None, "retrieve"):
        return Decision("retrieve", words if _says(words) else "")
    return Decision(action)


def _says(words: str) -> bool:
    return any(character.isalnum() for character in words)


def _names(files: Sequence[str]) -> str:
    shown = [short(name, _LONGEST_NAME) for name in files[:_MOST_NAMES]]
    more = len(files) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _asked(names: str, before: str, asked: str) -> str:
    return f"Files: {names}\n{message(before, asked)}"


def _reply(wanted: str) -> str:
    if not wanted or wanted == "list_attachments":
        return reply(wanted or "answer_directly")
    return reply("retrieve", wanted)


def _lead() -> list[Part]:
    parts: list[Part] = [("system", _TASK)]
    for names, before, asked, wanted in _EXAMPLES:
        parts += [("user", _asked(names, before, asked)), ("assistant", _reply(wanted))]
    return parts


_LEAD: Final = _lead()
