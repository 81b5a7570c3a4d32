"""A title for a conversation, asked of the model and taken only when it is one.

The request goes on from the conversation itself, so that nothing of it is read again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from webapp.chat.prompt import Part
from webapp.chat.thinking import OPENINGS, split, spoken
from webapp.chat.wording import TITLE_CHARACTERS, clean

REQUEST: Final = (
    "Write a short title for this conversation, like a heading in a table of contents. Use the "
    "language of my question. Reply with the title alone."
)
LONGEST_REPLY: Final = 600
"""Tokens; only a model that thinks first needs more than a dozen."""
_LONGEST_LINE: Final = 120
_LABEL: Final = re.compile(
    r"^(?:[#>*\-\s]*)(?:\**\s*(?:conversation\s+|chat\s+)?(?:title|titel|titre|título|标题|標題|タイトル)"
    r"\s*\**\s*[:：]\s*)?",
    re.IGNORECASE,
)
_WRAPPINGS: Final = " \t\"'`*_~#“”„‘’«»《》「」『』【】"
_SUBTITLE: Final = re.compile(r":\s|：|\s[–—-]\s")
_HEADING_AT_LEAST: Final = 8
_ENDS: Final = ".。,，;；:：、"
_REFUSALS: Final = re.compile(
    r"^(?:i(?:'m| am) sorry|sorry|i can(?:no|')t|as an ai|sure\b|certainly\b|of course\b"
    r"|here(?:'s| is)\b|error\s*[:：]|untitled\b|对不起|抱歉)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"<[^>\s]{1,30}>|\[/?[A-Z_]{2,20}\]|[{}]")


def asked(said: Sequence[Part], answer: str) -> list[Part]:
    """The conversation, its last answer, and the request for a title."""
    return [*said, ("assistant", answer), ("user", REQUEST)]


def is_enough(text: str) -> bool:
    """Whether a reply that grows has its first line, or can never become a title."""
    if text.lstrip().startswith(OPENINGS) or _may_become_thinking(text):
        parts = split(text, finished=False)
        text = "".join(part.text for part in parts if part.kind == "text")
    line = text.lstrip()
    return "\n" in line or len(line) > _LONGEST_LINE


def title_in(reply: str) -> str:
    """The title in a model's reply, one line of at most 60 characters; nothing if there is none:
    an empty reply, thinking alone, an excuse, markup, or a line too long to be a title. One that is
    too long with its subtitle goes without it."""
    if any(part.kind == "thinking" and part.open for part in split(reply, finished=False)):
        return ""
    lines = [line for line in clean(spoken(reply)).splitlines() if line.strip(_WRAPPINGS)]
    if not lines:
        return ""
    title = " ".join(_LABEL.sub("", lines[0], count=1).split())
    title = title.strip(_WRAPPINGS).rstrip(_ENDS).strip(_WRAPPINGS)
    if len(title) > _LONGEST_LINE or _REFUSALS.match(title) or _TAG.search(title):
        return ""
    title = _shortened(title)
    return title if any(character.isalnum() for character in title) else ""


def _shortened(title: str) -> str:
    """A heading with its subtitle may be too long; then the heading alone. Else nothing."""
    if len(title) <= TITLE_CHARACTERS:
        return title
    heading = _SUBTITLE.split(title, maxsplit=1)[0].strip(_WRAPPINGS)
    return heading if _HEADING_AT_LEAST <= len(heading) <= TITLE_CHARACTERS else ""


def _may_become_thinking(text: str) -> bool:
    begun = text.lstrip()
    return bool(begun) and any(tag.startswith(begun) for tag in OPENINGS)
