"""What is taken out of every text: bytes no reader sees, and spellings no search finds."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LINE_ENDS: Final = re.compile("\r\n?|[\x85\u2028\u2029]")
# Also what separates records and fields in old formats.
_SPACES: Final = re.compile("[\x01\x0b\x0c\x1c-\x1f\xa0\u2007\u202f]")
_OVERSTRUCK: Final = re.compile("[^\n]\x08")  # bold and underlined letters of printers
# Controls, the soft hyphen, the byte order mark, lone surrogates and what Unicode never assigns.
_DROPPED: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\ufeff\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(1 << 16, 17 << 16, 1 << 16)
    )
    + "]"
)
_UNUSUAL: Final = re.compile(r"[^\n\t -~]")  # in ASCII; most text has none, and most is ASCII
_COLOURS: Final = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]")  # of terminals, in logs
# Letters by their shape, as fonts number them: a search for the letter itself would not find them.
# Ligatures, Armenian, Hebrew and Arabic forms, radicals in place of Chinese characters.
_SHAPES: Final = re.compile(
    "[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdc7\ufdf0-\ufdfc\ufe70-\ufefc\u2e80-\u2fdf]"
)
_BLANK_LINES: Final = re.compile(r"\n(?:[ \t]*\n){3,}")
_WHITE: Final = re.compile(r"\s+")
_GARBLED: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")


def clean(text: str) -> str:
    """NFC, `\\n` as the only line end, no control characters but tab; lines stay lines.

    Compatibility forms stay (`①`, `㎡`) except the shapes of letters that fonts leave (`ﬁ`)."""
    if text.isascii() and not _UNUSUAL.search(text):
        return text
    text = _LINE_ENDS.sub("\n", text)
    text = _COLOURS.sub("", text) if "\x1b" in text else text
    text = _OVERSTRUCK.sub("", text) if "\x08" in text else text
    text = _DROPPED.sub("", _SPACES.sub(" ", text))
    text = _SHAPES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return unicodedata.normalize("NFC", text)


def without_gaps(text: str) -> str:
    """Three or more blank lines become one."""
    return _BLANK_LINES.sub("\n\n", text)


def one_line(text: str) -> str:
    """For a cell or a title: every run of white space is one space."""
    return _WHITE.sub(" ", clean(text)).strip()


def has_words(text: str) -> bool:
    """False for white space and for marks that are never seen."""
    visible = (unicodedata.category(char)[0] not in "ZC" or _private(char) for char in text.strip())
    return any(visible)


def garbled_share(text: str) -> float:
    """The share of characters that no reader could read, 0 to 1, of text before `clean`."""
    return len(_GARBLED.findall(text)) / len(text) if text else 0.0


def letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _private(char: str) -> bool:
    return unicodedata.category(char) == "Co"
