"""Branches that a person marked: named or starred at the message where they begin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from webapp.chat.messages import Message
from webapp.chat.thinking import OPENINGS, spoken
from webapp.chat.tree import Tree
from webapp.chat.wording import clean
from webapp.errors import BadInput

NAME: Final = "branchName"
STAR: Final = "starred"
LONGEST_NAME: Final = 80
_MARKUP: Final = re.compile(r"^[#>\s*+-]+|[*_`]{1,3}|\|[-|: ]+\|", re.MULTILINE)
_LISTED: Final = 200


@dataclass(frozen=True)
class Branch:
    """A marked branch as it is listed: the id of its first message, what to call it, its star."""

    id: str
    label: str
    starred: bool

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "label": self.label, "starred": self.starred}


def name_of(message: Message) -> str:
    value = message.metadata.get(NAME)
    return " ".join(clean(value).split())[:LONGEST_NAME] if isinstance(value, str) else ""


def is_starred(message: Message) -> bool:
    return message.metadata.get(STAR) is True


def marked(tree: Tree) -> tuple[Branch, ...]:
    """Every marked branch in file order. Looks at the whole thread."""
    found = (tree.message(id) for id in tree)
    return tuple(
        Branch(each.id, name_of(each) or first_words(each), is_starred(each))
        for each in found
        if is_starred(each) or name_of(each)
    )


def listed(metadata: Mapping[str, Any]) -> tuple[Branch, ...]:
    """What a thread's own metadata lists; what is not a branch there is passed over."""
    rows = metadata.get("branches")
    known = (_branch(row) for row in rows) if isinstance(rows, list) else iter(())
    return tuple(islice((branch for branch in known if branch), _LISTED))


def _branch(row: object) -> Branch | None:
    if not isinstance(row, Mapping):
        return None
    id, label = row.get("id"), row.get("label")
    if not isinstance(id, str) or not isinstance(label, str):
        return None
    return Branch(id, clean(label)[:LONGEST_NAME], row.get("starred") is True)


def checked_name(text: str) -> str:
    """A name on one line; empty means none. Raises BadInput for a long one."""
    wanted = " ".join(clean(text).split())
    if len(wanted) > LONGEST_NAME:
        raise BadInput(f"This name has {len(wanted)} characters.", do=f"Use up to {LONGEST_NAME}.")
    return wanted


def first_words(message: Message, characters: int = 60) -> str:
    """How a message begins: one line, without thinking and markup, cut at a word if it can be."""
    text = message.text
    begun = text.lstrip()[:24].lower()
    if any(begun.startswith(tag.lower()) for tag in OPENINGS):
        text = spoken(text)
    line = " ".join(clean(_MARKUP.sub(" ", text[: characters * 8])).split())
    if len(line) <= characters:
        return line
    cut = line[:characters]
    words = cut.rsplit(" ", 1)[0]
    return (words if len(words) > characters // 2 else cut).rstrip(" ,.;:") + "…"
