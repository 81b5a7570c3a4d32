"""Word documents: paragraphs, headings by style, one line for each row of a table, notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from lxml import etree

from webapp.documents.document import Document
from webapp.documents.parsing.archive import ZIP, Archive, attribute, local
from webapp.documents.parsing.office_graphics import write_graphics
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.word_numbers import Numbers
from webapp.documents.parsing.word_runs import SKIPPED, words_of
from webapp.documents.parsing.writer import Writer, cells_line

_HEADING_NAME: Final = re.compile(r"heading (\d)")
_MAIN: Final = "word/document.xml"


class DocxParser:
    name = "Word"
    suffixes = (".docx", ".docm", ".dotx")
    has_signature = True

    def recognises(self, source: Source) -> bool:
        if not source.head.startswith(ZIP):
            return False
        with Archive(source) as archive:
            return bool(_main_part(archive)) or _MAIN in archive.names

    def parse(self, source: Source) -> Document:
        writer = Writer(source.limits.characters)
        with Archive(source) as archive:
            main = _main_part(archive) or _MAIN
            parts = archive.related(main)
            numbering, styles = (_parts(parts, kind, archive) for kind in ("numbering", "styles"))
            numbers = Numbers(archive, numbering, styles)
            body = Body(writer, _heading_depths(archive, parts), numbers)
            body.blocks(archive.xml(main))
            write_graphics(writer, archive, main)
            for kind in ("footnotes", "endnotes"):
                for name in _parts(parts, kind, archive):
                    _write_notes(body, archive.xml(name))
            margins = (
                name for kind in ("header", "footer") for name in _parts(parts, kind, archive)
            )
            _write_margins(writer, map(archive.xml, margins))
            title = title_of(archive)
        return writer.document(title, details=(("format", self.name),))


class Body:
    def __init__(self, writer: Writer, depths: dict[str, int], numbers: Numbers) -> None:
        self._writer = writer
        self._depths = depths
        self._numbers = numbers
        self._begun = ""  # a paragraph whose end was deleted goes on in the next one

    def blocks(self, parent: etree._Element) -> None:
        """Paragraphs and tables under `parent`, through whatever wraps them."""
        for child in parent:
            tag = local(child)
            if tag == "p":
                self._paragraph(child)
            elif tag == "tbl":
                self._end_paragraph()
                self._table(child)
            elif tag and tag not in SKIPPED:
                self.blocks(child)
        self._end_paragraph()

    def _paragraph(self, paragraph: etree._Element) -> None:
        boxes: list[etree._Element] = []
        # Most of those without anything in them only make room.
        self._begun += self._numbered(paragraph, boxes) if len(paragraph) else ""
        if not _is_open(paragraph):
            self._end_paragraph(paragraph)
        for box in boxes:
            self.blocks(box)

    def _end_paragraph(self, paragraph: etree._Element | None = None) -> None:
        text, self._begun = self._begun, ""
        depth = 0 if paragraph is None else self._depth(paragraph)
        if not text.strip():
            return
        if depth:
            self._writer.heading(text, depth)
        elif any(local(child) == "numPr" for child in _properties(paragraph)):
            self._writer.line(text)
        else:
            self._writer.paragraph(text)

    def _table(self, table: etree._Element) -> None:
        for row in _inside(table, "tr"):
            cells = list(_inside(row, "tc"))
            if any(local(mark) == "del" for mark in _properties(row, "trPr")):
                continue
            if len(cells) == 1:  # a frame around text rather than a table
                self.blocks(cells[0])
            else:
                self._writer.line(cells_line([self._cell(cell) for cell in cells]))

    def _cell(self, cell: etree._Element) -> str:
        paragraphs = (one for one in cell.iter("{*}p") if not _in_fallback(one, cell))
        return " ".join(self._numbered(one, []) for one in paragraphs)

    def _numbered(self, paragraph: etree._Element, boxes: list[etree._Element]) -> str:
        text = words_of(paragraph, boxes)
        if not text.strip() and _is_open(paragraph):  # all of it was deleted
            return ""
        number = self._numbers.next(list(_properties(paragraph)))
        return f"{number} {text}" if number and text.strip() else text

    def _depth(self, paragraph: etree._Element) -> int:
        for child in _properties(paragraph):
            if local(child) == "outlineLvl":
                return _outline_depth(attribute(child, "val"))
            if local(child) == "pStyle" and attribute(child, "val") in self._depths:
                return self._depths[attribute(child, "val")]
        return 0


def title_of(archive: Archive) -> str:
    """From the properties of an Office document."""
    if "docProps/core.xml" not in archive.names:
        return ""
    found = (e.text or "" for e in archive.xml("docProps/core.xml") if local(e) == "title")
    return next(found, "")


def _main_part(archive: Archive) -> str:
    related = archive.related("").values()
    return next((name for kind, name in related if kind == "officeDocument"), "")


def _parts(parts: dict[str, tuple[str, str]], kind: str, archive: Archive) -> list[str]:
    return [name for found, name in parts.values() if found == kind and name in archive.names]


def _write_notes(body: Body, root: etree._Element) -> None:
    for note in root:
        if attribute(note, "type") in ("", "normal"):
            body.blocks(note)


def _write_margins(writer: Writer, roots: Iterable[etree._Element]) -> None:
    """What stands above or below the pages, once: sections often repeat it."""
    lines = [words_of(one, []) for root in roots for one in root.iter("{*}p")]
    for line in dict.fromkeys(filter(str.strip, lines)):
        writer.paragraph(line)


def _heading_depths(archive: Archive, parts: dict[str, tuple[str, str]]) -> dict[str, int]:
    """By style: how deep a heading it makes, through the styles it is based on."""
    own: dict[str, int] = {}
    bases: dict[str, str] = {}
    for name in _parts(parts, "styles", archive):
        for style in archive.xml(name):
            key = attribute(style, "styleId")
            own[key] = _style_depth(style)
            bases[key] = next((attribute(e, "val") for e in style if local(e) == "basedOn"), "")
    return {key: depth for key in own if (depth := _inherited(key, own, bases))}


def _inherited(key: str, own: dict[str, int], bases: dict[str, str]) -> int:
    for _ in range(20):  # a ring of styles ends here
        if own.get(key):
            return own[key]
        key = bases.get(key, "")
    return 0


def _style_depth(style: etree._Element) -> int:
    for element in style.iter():
        if local(element) == "name" and (
            found := _HEADING_NAME.fullmatch(attribute(element, "val").lower())
        ):
            return int(found[1])
        if local(element) == "outlineLvl":
            return _outline_depth(attribute(element, "val"))
    return 0


def _outline_depth(value: str) -> int:
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else 0


def _properties(element: etree._Element | None, name: str = "pPr") -> Iterator[etree._Element]:
    for child in () if element is None else element:
        if local(child) == name:
            yield from child


def _is_open(paragraph: etree._Element) -> bool:
    """Whether the end of this paragraph was deleted, and only that."""
    looks = (one for one in _properties(paragraph) if local(one) == "rPr")
    return any(local(mark) == "del" for look in looks for mark in look)


def _inside(parent: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Rows of a table or cells of a row, through content controls and marked insertions."""
    for child in parent:
        name = local(child)
        if name == tag:
            yield child
        elif name and name not in SKIPPED and name != "tbl":
            yield from _inside(child, tag)


def _in_fallback(element: etree._Element, until: etree._Element) -> bool:
    for parent in element.iterancestors():
        if parent is until:
            return False
        if local(parent) in SKIPPED:
            return True
    return False
