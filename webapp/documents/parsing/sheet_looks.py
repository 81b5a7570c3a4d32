"""What an Excel workbook tells of its cells beside their values: which are shown as percentages,
which show an error, and which hold a formula whose result was never saved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import IO, Final
from zipfile import BadZipFile

from lxml import etree

from webapp.documents.parsing.archive import ZIP, Archive, attribute
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.sheet_squeeze import column_number, squeezed

_WORKBOOK: Final = "xl/workbook.xml"
_STYLES: Final = "xl/styles.xml"
_PERCENT: Final = ("9", "10")  # the numbers of the formats that every program knows
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_CELL: Final = re.compile(rb"<c\s([^>]*?)(?:/>|>(.*?)</c>)", re.S)
_PLACE: Final = re.compile(rb'\br="([A-Z]{1,3})(\d{1,7})"')
_STYLE: Final = re.compile(rb'\bs="(\d+)"')
_RESULT: Final = re.compile(rb"<v[^>]*>([^<]+)</v>")
_ERROR: Final = b't="e"'
_WORDS: Final = b't="str"'


@dataclass(frozen=True)
class Look:
    """By row from 1 and column from 0: `%`, or the error that is shown. `unsaved` counts formulas
    without a result. `rows`: the numbers of rows in the file, where they were moved together."""

    cells: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    unsaved: int = 0
    rows: tuple[int, ...] = ()

    def number(self, row: int) -> int:
        return self.rows[row - 1] if row <= len(self.rows) else row


@dataclass(frozen=True)
class Looks:
    """By the name of the sheet; `file` is what to read in place of a workbook with sheets that are
    too wide to be laid out."""

    of_sheets: Mapping[str, Look] = field(default_factory=dict)
    file: IO[bytes] | None = None


def looks_of(source: Source) -> Looks:
    """Only of XLSX. What is damaged there, the reader of the values will find."""
    if not source.head.startswith(ZIP):
        return Looks()
    with Archive(source) as archive:
        if _WORKBOOK not in archive.names:
            return Looks()
        try:
            return _looks(archive)
        except (KeyError, etree.XMLSyntaxError, BadZipFile):
            return Looks()


def _looks(archive: Archive) -> Looks:
    percents, related = _percent_styles(archive), archive.related(_WORKBOOK)
    found: dict[str, Look] = {}
    moved: dict[str, bytes] = {}
    for sheet in archive.xml(_WORKBOOK).iter("{*}sheet"):
        links = (value for key, value in sheet.items() if str(key).endswith("}id"))
        _, name = related.get(str(next(links, "")), ("", ""))
        if name in archive.names:
            data = archive.read(name)
            rows: tuple[int, ...] = ()
            if closer := squeezed(data):
                data = moved[name] = closer.sheet
                rows = closer.rows
            found[attribute(sheet, "name")] = replace(_look(data, percents), rows=rows)
    return Looks(found, archive.with_members(moved) if moved else None)


def _look(sheet: bytes, percents: frozenset[bytes]) -> Look:
    if not percents and _ERROR not in sheet and b"<f" not in sheet:
        return Look()
    cells: dict[int, dict[int, str]] = {}
    unsaved = 0
    for found in _CELL.finditer(sheet):
        head, content = found[1], found[2] or b""
        result = _RESULT.search(content)
        unsaved += b"<f" in content and not result and _WORDS not in head
        word = result[1].decode("utf-8", "replace") if result and _ERROR in head else ""
        style, place = _STYLE.search(head), _PLACE.search(head)
        if style and style[1] in percents and result and not word:
            word = "%"
        if word and place:
            cells.setdefault(int(place[2]), {})[column_number(place[1])] = word
    return Look(cells, unsaved)


def _percent_styles(archive: Archive) -> frozenset[bytes]:
    """The numbers of the looks that make a percentage of a number."""
    if _STYLES not in archive.names:
        return frozenset()
    root = archive.xml(_STYLES)
    known = {
        attribute(one, "numFmtId")
        for one in root.iter("{*}numFmt")
        if "%" in _QUOTED.sub("", attribute(one, "formatCode"))
    }
    looks = root.iterfind("{*}cellXfs/{*}xf")
    return frozenset(
        b"%d" % number
        for number, one in enumerate(looks)
        if attribute(one, "numFmtId") in known.union(_PERCENT)
    )
