"""Going on with an answer that was cut short.

Chat templates end every turn, so a model cannot be made to go on in mid-sentence: it is shown
its own beginning and asked for the rest, and the two are joined.
"""

from __future__ import annotations

import re
from typing import Final

from webapp.chat.messages import Message
from webapp.errors import Conflict

REQUEST: Final = (
    "Your answer was cut off. Continue it exactly where it stops, from the very next word. "
    "Do not repeat anything, do not apologise, do not comment."
)
_RUNS_ON: Final = re.compile(r"[\w.,;:!?)\]}\"'’”]$")
_WORD_BEGINS: Final = re.compile(r"[\w(\[{\"'‘“]")
_NO_SPACES: Final = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


def can_continue(message: Message) -> bool:
    """True for an answer with words that was stopped, failed, or reached its length limit."""
    if message.role != "assistant" or not message.text.strip():
        return False
    usage = message.metadata.get("usage")
    cut = isinstance(usage, dict) and usage.get("reason") == "length"
    return message.status in ("stopped", "error") or (message.status == "ready" and cut)


def check_can_continue(message: Message) -> None:
    """Raises Conflict with a sentence for an answer that is whole or has no words."""
    if not can_continue(message):
        raise Conflict(
            "This answer was not cut short, so there is nothing to continue.",
            do="Ask something else, or answer again for another version.",
        )


def joint(before: str, after: str) -> str:
    """What belongs between a beginning and its continuation: a space or nothing.

    A model begins its turn without the space that would have come before the next word."""
    end, start = before[-1:], after[:1]
    if _NO_SPACES.match(end) or _NO_SPACES.match(start):
        return ""
    return " " if _RUNS_ON.search(end) and _WORD_BEGINS.match(start) else ""
