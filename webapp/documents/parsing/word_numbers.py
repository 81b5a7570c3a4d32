"""The numbers that Word puts before paragraphs of lists: they are counted, not written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from webapp.documents.parsing.archive import Archive, attribute, local
from webapp.documents.parsing.counted import spelled
from webapp.documents.parsing.word_runs import is_on

_PLACE: Final = re.compile(r"%([1-9])")
_LEVELS: Final = 9


@dataclass(frozen=True)
class _Level:
    start: int = 1
    kind: str = "decimal"
    text: str = ""
    plain: bool = False


@dataclass
class _List:
    levels: dict[int, _Level] = field(default_factory=dict)
    styles: dict[str, int] = field(default_factory=dict)
    link: str = ""
    own_link: str = ""
    counted: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


class Numbers:
    """Asked once for each paragraph, in their order."""

    def __init__(self, archive: Archive, numbering: list[str], styles: list[str]) -> None:
        self._lists: dict[str, _List] = {}
        self._abstract: dict[str, str] = {}
        self._starts: dict[str, dict[int, int]] = {}
        self._of_style: dict[str, tuple[str, str]] = {}
        self._bases: dict[str, str] = {}
        for name in numbering:
            self._read_numbering(archive.xml(name))
        for name in styles if self._abstract else ():
            self._read_styles(archive.xml(name))

    def next(self, properties: list[etree._Element]) -> str:
        """What stands before the paragraph with these properties; empty for a bullet."""
        key, depth = self._place(properties)
        found = self._list(key)
        if found is None or depth not in found.levels:
            return ""
        starts = self._starts.get(key, {})
        if depth in starts:  # a list that begins anew, though it looks like another one
            found.counted[depth] = None
        start = starts.pop(depth, found.levels[depth].start)
        before = found.counted[depth]
        found.counted[depth] = start if before is None else before + 1
        found.counted[depth + 1 :] = [None] * (_LEVELS - depth - 1)
        return _shown(found, depth)

    def _place(self, properties: list[etree._Element]) -> tuple[str, int]:
        """The list and how deep in it, from the paragraph itself or else its style."""
        style = next((attribute(one, "val") for one in properties if local(one) == "pStyle"), "")
        own = next((one for one in properties if local(one) == "numPr"), None)
        key, depth = ("", "") if own is None else _numbered(own)
        if not key:
            key, from_style = self._styled(style)
            depth = depth or from_style
        found = self._list(key)
        if found and not depth:
            return key, found.styles.get(style, 0)
        return key, int(depth) if depth.isdecimal() and int(depth) < _LEVELS else 0

    def _styled(self, style: str) -> tuple[str, str]:
        for _ in range(20):  # a ring of styles ends here
            key, depth = self._of_style.get(style, ("", ""))
            if key:
                return key, depth
            style = self._bases.get(style, "")
        return "", ""

    def _list(self, key: str) -> _List | None:
        found = self._lists.get(self._abstract.get(key, ""))
        if found and found.link:
            return next((one for one in self._lists.values() if one.own_link == found.link), None)
        return found

    def _read_numbering(self, root: etree._Element) -> None:
        for element in root:
            if local(element) == "abstractNum":
                self._lists[attribute(element, "abstractNumId")] = _list_of(element)
            elif local(element) == "num":
                key = attribute(element, "numId")
                for one in element:
                    if local(one) == "abstractNumId":
                        self._abstract[key] = attribute(one, "val")
                self._starts[key] = dict(_new_starts(element))

    def _read_styles(self, root: etree._Element) -> None:
        for style in root:
            key = attribute(style, "styleId")
            self._bases[key] = _value(style, "basedOn")
            for one in style.iter("{*}numPr"):
                self._of_style[key] = _numbered(one)


def _numbered(element: etree._Element) -> tuple[str, str]:
    return _value(element, "numId"), _value(element, "ilvl")


def _value(element: etree._Element, name: str, default: str = "") -> str:
    return next((attribute(one, "val") for one in element if local(one) == name), default)


def _list_of(element: etree._Element) -> _List:
    found = _List(link=_value(element, "numStyleLink"), own_link=_value(element, "styleLink"))
    for one in element:
        depth = attribute(one, "ilvl")
        if local(one) == "lvl" and depth.isdecimal() and int(depth) < _LEVELS:
            start = _value(one, "start", "1")
            found.levels[int(depth)] = _Level(
                int(start) if start.isdecimal() else 1,
                _value(one, "numFmt", "decimal"),
                _value(one, "lvlText"),
                is_on(one, "isLgl"),
            )
            if style := _value(one, "pStyle"):
                found.styles[style] = int(depth)
    return found


def _new_starts(number: etree._Element) -> Iterator[tuple[int, int]]:
    for one in number:
        depth, start = attribute(one, "ilvl"), _value(one, "startOverride")
        if local(one) == "lvlOverride" and depth.isdecimal() and start.isdecimal():
            yield int(depth), int(start)


def _shown(found: _List, depth: int) -> str:
    level = found.levels[depth]
    if level.kind == "bullet":
        return ""

    def number(place: re.Match[str]) -> str:
        at = int(place[1]) - 1
        other = found.levels.get(at, _Level())
        counted = found.counted[at]
        kind = "decimal" if level.plain else other.kind
        return spelled(other.start if counted is None else counted, kind)

    return _PLACE.sub(number, level.text).strip()
