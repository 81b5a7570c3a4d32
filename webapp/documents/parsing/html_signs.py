"""What a browser shows that no word of the page says: numbers of lists, quotes, fraction bars."""

from __future__ import annotations

from typing import Final

from lxml import etree

from webapp.documents.parsing.counted import spelled
from webapp.documents.parsing.formulas import is_power

_BETWEEN: Final = {"mfrac": "/", "msup": "^", "msub": "_"}
_KINDS: Final = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_BEFORE: Final = {"q": "“", "msqrt": "√"}
_BEHIND: Final = {"q": "”"}
# In one line with others, but never one word with them.
_APART: Final = frozenset(("button", "text", "textarea", "select"))


def before(element: etree._Element, tag: str, said: str) -> str:
    """`said` is what the line says already."""
    if tag in _APART:
        return " "
    if tag == "sup":
        return "^" if is_power(said, "".join(map(str, element.itertext())).strip()) else ""
    between = _between(element)
    return between + ("(" if between and _is_group(element, tag) else "") + _BEFORE.get(tag, "")


def behind(element: etree._Element, tag: str) -> str:
    if tag in _APART:
        return " "
    return ")" if _between(element) and _is_group(element, tag) else _BEHIND.get(tag, "")


class ListNumbers:
    """Asked once for each item, in their order."""

    def __init__(self) -> None:
        self._counted: dict[etree._Element, int] = {}

    def next(self, item: etree._Element) -> str:
        """`3.`; empty where nothing is counted."""
        around = item.getparent()
        if around is None or around.tag != "ol":
            return ""
        step = 1 if around.get("reversed") is None else -1
        first = 1 if step > 0 else len(around.findall("li"))
        last = self._counted.get(around, _whole(around.get("start"), first) - step)
        number = self._counted[around] = _whole(item.get("value"), last + step)
        kind = item.get("type") or around.get("type") or ""
        return spelled(number, _KINDS.get(kind, "decimal")) + "."


def _whole(text: str | None, default: int) -> int:
    digits = (text or "").strip()
    return int(digits) if digits.removeprefix("-").isdecimal() and len(digits) < 10 else default


def _between(element: etree._Element) -> str:
    around = element.getparent()
    name = around.tag if around is not None and isinstance(around.tag, str) else ""
    return _BETWEEN.get(name, "") if element.getprevious() is not None else ""


def _is_group(element: etree._Element, tag: str) -> bool:
    return tag == "mrow" and len(element) > 1
