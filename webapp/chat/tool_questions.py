"""Two questions that show whether a model calls tools well: one needs a call, one needs none.

Many models whose template lists tools call them for "hello", or write calls that nobody can read.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from webapp.chat.called import read_calls

NEEDS_CALL: Final = (
    "I attached the file lease.pdf. What is the notice period in it? Search the file first."
)
NEEDS_NONE: Final = "Hello! How are you?"
QUESTIONS: Final = (NEEDS_CALL, NEEDS_NONE)


def called_well(reply: str, names: Collection[str]) -> bool:
    """To the first question: it searches, once, in a call that can be read."""
    calls = read_calls(reply, names)[1]
    return [(call.name, call.problem) for call in calls] == [("retrieve", "")]


def kept_quiet(reply: str, names: Collection[str]) -> bool:
    """To the second question: it speaks and calls nothing."""
    said, calls = read_calls(reply, names)
    return bool(said.strip()) and not calls
