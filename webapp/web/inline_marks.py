"""Characters that mark places in a model's words while these are laid out, and go again after.

All are noncharacters of Unicode, which no text holds by right: U+FDD0 to U+FDD3 say what the mark
is, U+FDE0 to U+FDE9 are the digits of its number. To the rules of Markdown they are not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

Kind = Literal["support", "begin", "end", "quote"]

_KINDS: Final[tuple[Kind, ...]] = ("support", "begin", "end", "quote")
_FIRST_KIND, _FIRST_DIGIT = 0xFDD0, 0xFDE0
_ANY: Final = re.compile("[\ufdd0-\ufdef]+")
ONE: Final = re.compile("([\ufdd0-\ufdd3])([\ufde0-\ufde9]*)")


def mark(kind: Kind, number: int) -> str:
    digits = (chr(_FIRST_DIGIT + int(each)) for each in str(number))
    return chr(_FIRST_KIND + _KINDS.index(kind)) + "".join(digits)


def read_mark(found: re.Match[str]) -> tuple[Kind, int]:
    """What a match of `ONE` stands for; -1 for a mark without a number."""
    digits = "".join(str(ord(each) - _FIRST_DIGIT) for each in found[2])
    return _KINDS[ord(found[1]) - _FIRST_KIND], int(digits) if digits else -1


def is_mark(character: str) -> bool:
    return "\ufdd0" <= character <= "\ufdef"


def without_marks(text: str) -> str:
    return _ANY.sub("", text)


def only_marks(text: str) -> str:
    return "".join(_ANY.findall(text))


def with_marks(text: str, marks: Iterable[tuple[int, str]]) -> str:
    """`text` with each mark put in at its place; those beyond its ends are left out. Marks at one
    place stand in the order given."""
    pieces, at = [], 0
    for place, characters in sorted(marks, key=lambda each: each[0]):
        if 0 <= place <= len(text):
            pieces += [text[at:place], characters]
            at = place
    return "".join([*pieces, text[at:]])
