"""Text as it is compared: without case, without accents, in one width; and its short words.

Pure. Characters are folded one by one, so that every place in the folded text leads back to one in
the text itself. Writing without spaces (Chinese, Japanese, Korean, Thai and their neighbours) is
called dense: two of its characters are a word.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ACCENTED: Final = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC")
_DENSE_RANGES: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
DENSE: Final = re.compile(f"[{_DENSE_RANGES}]+")
_HALF: Final = re.compile("[\ud800-\udfff]")
_BLANKS: Final = dict.fromkeys((*range(32), 127), " ")
# A word with what belongs to it in names such as C# and C++, or one sign such as an emoji.
WORD: Final = re.compile(rf"[^\W{_DENSE_RANGES}][\w#+]*|[^\w\s\u0000-\u2190]")


class _Folds(dict[int, str]):
    """What becomes of each character; found out once."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


_folds: Final = _Folds()


def composed(text: str) -> str:
    """`text` with its accents in its letters, as it is stored, shown and folded; without NULs and
    half characters."""
    return unicodedata.normalize("NFC", _HALF.sub("\ufffd", text.replace("\0", " ")))


def fold(text: str) -> str:
    """Of composed text."""
    return text.lower().translate(_BLANKS) if text.isascii() else text.translate(_folds)


def fold_with_places(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the place in `text` that it comes from; one
    place more for the end."""
    pieces = [_folds[ord(character)] for character in text]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*places, len(text)]


def short_words(folded: str) -> set[str]:
    """What is shorter than three characters and can be looked for all the same: words of one or
    two, each two neighbours of dense writing, and the last character of its runs."""
    found = {word for word in WORD.findall(folded) if len(word) < 3}
    for run in DENSE.findall(folded):
        found.update(run[at : at + 2] for at in range(len(run)))
    return found


def _fold(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).casefold()
    parts = unicodedata.normalize("NFD", plain)
    name = unicodedata.name(parts[0], "") if parts else ""
    if unicodedata.combining(character) and 0x0300 <= ord(character) <= 0x036F:
        return ""
    if name.startswith(_ACCENTED):
        plain = "".join(part for part in parts if not unicodedata.combining(part))
    return plain if unicodedata.category(character) != "Cc" else " "
