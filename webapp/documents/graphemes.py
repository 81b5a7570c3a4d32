"""Where a text may be cut so that no character a reader sees falls apart.

Pure. A conservative reading of Unicode's grapheme clusters: sometimes two are kept together, none
of those in use is cut. Offsets are code points.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_ZWJ: Final = "\u200d"
_THAI_LAO_AM: Final = "\u0e33\u0eb3"
_MARKS: Final = ("Mn", "Me", "Mc")
_VIRAMA: Final = 9


def is_boundary(text: str, at: int, floor: int = 0) -> bool:
    """True if nothing is cut at `at`. `floor` is a boundary before it; nothing earlier is read."""
    if at <= floor or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return (before, after) != ("\r", "\n")
    if _extends(after) or (before == _ZWJ and not after.isspace()):
        return False
    if _is_leading_jamo(before) and (_is_leading_jamo(after) or "가" <= after <= "힣"):
        return False
    if unicodedata.combining(before) == _VIRAMA and unicodedata.category(after) == "Lo":
        return False
    return not (_is_flag_half(before) and _is_flag_half(after) and _odd_halves(text, at, floor))


def boundary_before(text: str, at: int, least: int, floor: int) -> int:
    """The last boundary in `least < n <= at`; `at` itself where one character fills all of that."""
    n = at
    while n > least and not is_boundary(text, n, floor):
        n -= 1
    return n if n > least else at


def _extends(character: str) -> bool:
    """It belongs to what stands before it: marks, joiners, selectors, skin tones, tags, vowels."""
    return (
        unicodedata.category(character) in _MARKS
        or character in (_ZWJ, "\u200c")
        or character in _THAI_LAO_AM
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or "\u1160" <= character <= "\u11ff"
        or "\ud7b0" <= character <= "\ud7fb"
        or "\uff9e" <= character <= "\uff9f"
    )


def _is_leading_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c"


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _odd_halves(text: str, at: int, floor: int) -> bool:
    """Flags are pairs, counted from the first half of the row or from `floor`."""
    first = at
    while first > floor and _is_flag_half(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 1
