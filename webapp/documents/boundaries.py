"""Good places to end a passage and to begin the next one: sentences, lines, clauses, words.

Pure. Windows are given by their ends; offsets are code points of the whole text.
"""

from __future__ import annotations

import re
from typing import Final

from webapp.documents.graphemes import boundary_before, is_boundary

_CLOSING: Final = "[\"'”’»)\\]）」』】》〉]*"
_SHORT_FORMS: Final = "".join(
    rf"(?<!\b{form}\.)"
    for form in ("Mr", "Mrs", "Dr", "St", "No", "Fig", "Nr", "vs", "cf", r"e\.g", r"i\.e", r"z\.B")
)
_SENTENCE: Final = (
    rf"(?:\.{_SHORT_FORMS}|[!?…؟۔।॥።։។။])[.!?…]*{_CLOSING}(?=\s)|[。！？｡]+{_CLOSING}"
)
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n")
_SENTENCE_END: Final = re.compile(_SENTENCE)
_LINE_END: Final = re.compile(r"\n")
_CLAUSE_END: Final = re.compile(r"[,;:،؛–—](?=\s)|[，、；：]")
_GAP: Final = re.compile(r"\s")
_INK: Final = re.compile(r"\S")
_OF_PROSE: Final = (_BLANK_LINE, _SENTENCE_END, _LINE_END, _CLAUSE_END, _GAP)
# A record of a table is worth more whole than a sentence in one of its cells.
_OF_LINES: Final = (_BLANK_LINE, _LINE_END, _SENTENCE_END, _CLAUSE_END, _GAP)
_VISIBLE: Final = re.compile(
    "[^\\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)


def is_visible(text: str) -> bool:
    """True if a reader would see anything: more than white space and characters without a shape."""
    return _VISIBLE.search(text) is not None


def first_ink(text: str, start: int, end: int) -> int:
    """The first offset that is no white space, or `end`. A mark keeps the space it stands on."""
    found = _INK.search(text, start, end)
    at = found.start() if found else end
    while start < at < end and not is_boundary(text, at, start):
        at -= 1
    return at


def after_last_ink(text: str, start: int, end: int) -> int:
    """Where the white space at the end of `text[start:end]` begins."""
    return start + len(text[start:end].rstrip())


def passage_end(text: str, start: int, limit: int, *, by_lines: bool) -> int:
    """The best end in the second half of `text[start:limit]`: more than half of it is taken."""
    half = start + (limit - start) // 2
    # One more character than may be taken: what follows tells whether a sentence ends.
    for kind in _OF_LINES if by_lines else _OF_PROSE:
        ends = [found.end() for found in kind.finditer(text, half, limit + 1)]
        good = [end for end in ends if half < end <= limit and is_boundary(text, end, start)]
        if good:
            return good[-1]
    return boundary_before(text, limit, half, start)


def passage_start(text: str, earliest: int, end: int, floor: int, *, by_lines: bool) -> int:
    """Where the passage after `end` begins so that it repeats no more than `text[earliest:end]`:
    at the first sentence there, else line, word or character. Of lines whole ones, or none.

    `floor` is a boundary before all of that."""
    before = max(0, earliest - 1)
    for kind in (_LINE_END,) if by_lines else (_SENTENCE_END, _LINE_END, _GAP):
        for found in kind.finditer(text, before, end):
            at = first_ink(text, found.end(), end)
            if earliest <= at < end and is_boundary(text, at, floor):
                return at
    if by_lines:
        return end
    return next((at for at in range(earliest, end) if is_boundary(text, at, floor)), end)
