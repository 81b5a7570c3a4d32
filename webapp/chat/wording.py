"""Text from a person, made fit to be a message or a title."""

from __future__ import annotations

import re

from webapp.errors import BadInput

TITLE_CHARACTERS = 60
LONGEST_TITLE = 200
LONGEST_MESSAGE = 400_000
_UNWRITABLE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` without what no file or page can hold: NULs go, lone surrogates become U+FFFD."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\0", ""))


def checked_text(text: str) -> str:
    """Text fit to be a message. Raises BadInput with a sentence."""
    words = clean(text.replace("\r\n", "\n"))
    if not words.strip():
        raise BadInput("There is nothing to send yet.", do="Write a question first.")
    if len(words) > LONGEST_MESSAGE:
        raise BadInput(
            f"This message has {len(words):,} characters; the most is {LONGEST_MESSAGE:,}.",
            do="Shorten it, or send it in parts.",
        )
    return words


def title_from(text: str) -> str:
    """The first words of a question, one line, at most 60 characters."""
    line = " ".join(clean(text).split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    cut = line[:TITLE_CHARACTERS]
    words = cut.rsplit(" ", 1)[0]
    return (words if len(words) > TITLE_CHARACTERS // 2 else cut).rstrip() + "…"


def checked_title(text: str) -> str:
    """A title as a person typed it, on one line. Raises BadInput with a sentence."""
    wanted = " ".join(clean(text).split())
    if not wanted:
        raise BadInput("A title needs at least one visible character.", do="Type one.")
    if len(wanted) > LONGEST_TITLE:
        raise BadInput(
            f"This title has {len(wanted)} characters.", do=f"Use up to {LONGEST_TITLE}."
        )
    return wanted
