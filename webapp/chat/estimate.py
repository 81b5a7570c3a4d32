"""Tokens of a text where no tokenizer is at hand: rather many, so that a window never bursts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from webapp.chat.inlined import block, inlined_files
from webapp.chat.messages import Message
from webapp.chat.prompt import words
from webapp.chat.tool_calls import tool_parts

CHARACTERS_PER_TOKEN: Final = 3.5
TOKENS_PER_MESSAGE: Final = 4


def estimate(text: str) -> int:
    """`ceil(code points / 3.5)`, in whole numbers so that no length is rounded wrongly."""
    return -(-2 * len(text) // 7)


def estimated(parts: Sequence[tuple[str, str]]) -> int:
    """The estimate of a whole request, with what each part costs for its role."""
    return sum(estimate(content) + TOKENS_PER_MESSAGE for _, content in parts)


def estimated_message(message: Message) -> int:
    """The estimate of one message: its text, its tool parts as JSON, its inlined files."""
    return estimate(message_text(message)) + TOKENS_PER_MESSAGE


def message_text(message: Message) -> str:
    """All that a message puts into the window, as one text; thinking is not sent, and images are
    not text."""
    files = [block(file) for file in inlined_files(message)]
    return "\n".join(filter(None, [words(message), *map(_compact, tool_parts(message)), *files]))


def _compact(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"), default=str)
