"""Names of files as people may see them. They never meet a path: files lie under our own ids."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from typing import Final

UNNAMED: Final = "file"
MOST_BYTES: Final = 240

_MOST_READ: Final = 4_096
_LONGEST_SUFFIX: Final = 20
_FOLDERS: Final = re.compile(r"[/\\]")
_WHITE: Final = re.compile(r"\s+")
_RESERVED: Final = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?", re.IGNORECASE | re.DOTALL
)
_JOINERS: Final = "\u200c\u200d"  # they make letters and emoji, and hide nothing


def safe_name(raw: str) -> str:
    """A name to show and to offer for download: the last part of a path, NFC, without what cannot
    be seen or turns writing around, never empty, at most `MOST_BYTES` in UTF-8.

    Equal for names that look equal (`Ü` in one or two characters) and the same when done again."""
    last = _FOLDERS.split(raw[-_MOST_READ:].rstrip("/\\"))[-1]
    seen = "".join(char if _is_seen(char) else "" for char in unicodedata.normalize("NFC", last))
    name = _shortened(_ends_cleared(_WHITE.sub(" ", seen)))
    if not name or not any(_is_visible(char) for char in name):
        return UNNAMED
    return f"_{name}" if _RESERVED.fullmatch(name) else name


def unused(name: str, taken: Container[str]) -> str:
    """`name`, or `name (2).txt` and so on where a name differs from all taken ones only so."""
    if name not in taken:
        return name
    stem, suffix = _split(name)
    number = 2
    while (found := _with_number(stem, suffix, number)) in taken:
        number += 1
    return found


def _with_number(stem: str, suffix: str, number: int) -> str:
    mark = f" ({number})"
    room = MOST_BYTES - len((mark + suffix).encode())
    return f"{_cut(stem, room)}{mark}{suffix}"


def _is_seen(char: str) -> bool:
    """False for controls, lone surrogates, unassigned and format characters (bidi overrides)."""
    return char in _JOINERS or char.isspace() or unicodedata.category(char)[0] != "C"


def _is_visible(char: str) -> bool:
    return unicodedata.category(char)[0] not in "ZCM" and char != "."


def _ends_cleared(name: str) -> str:
    """Windows drops dots and spaces at the end, so two names would become one."""
    return name.strip().rstrip(". ").lstrip(_JOINERS)


def _shortened(name: str) -> str:
    if len(name.encode()) <= MOST_BYTES:
        return name
    stem, suffix = _split(name)
    return _cut(stem, MOST_BYTES - len(suffix.encode())) + suffix


def _split(name: str) -> tuple[str, str]:
    stem, dot, suffix = name.rpartition(".")
    if stem and 0 < len(suffix) <= _LONGEST_SUFFIX and not _WHITE.search(suffix):
        return stem, dot + suffix
    return name, ""


def _cut(text: str, most: int) -> str:
    """At most so many bytes, no half character, and no letter without its marks."""
    short = text.encode()[: max(0, most)].decode("utf-8", "ignore")
    if len(short) == len(text):
        return short
    end = len(short)
    while end and (_joins(text[end]) or text[end - 1] in _JOINERS):
        end -= 1
    return text[: end or len(short)].rstrip(" .")


def _joins(char: str) -> bool:
    return unicodedata.category(char)[0] == "M" or char in _JOINERS
