"""E-books: the chapters in the order of the book's spine."""

from __future__ import annotations

import posixpath
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from typing import Final
from zipfile import BadZipFile

from lxml import etree

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.archive import ZIP, Archive, attribute, local, within
from webapp.documents.parsing.declared import declared_in
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.html_text import write_html
from webapp.documents.parsing.odt import is_open_document
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer
from webapp.errors import Unreadable

_CONTAINER: Final = "META-INF/container.xml"
_LOCKS: Final = "META-INF/encryption.xml"
_HTML: Final = (".xhtml", ".html", ".htm")
_PAGES: Final = (*_HTML, ".xml")


class EpubParser:
    name = "EPUB"
    suffixes = (".epub",)
    has_signature = True

    def recognises(self, source: Source) -> bool:
        if not source.head.startswith(ZIP):
            return False
        with Archive(source) as archive:
            if _CONTAINER in archive.names:
                return True
        return is_open_document(source, (b"epub+zip",))

    def parse(self, source: Source) -> Document:
        writer = Writer(source.limits.characters)
        with Archive(source) as archive:
            package = _package(archive)
            chapters = list(dict.fromkeys(_chapters(archive, package)))
            present = [name for name in chapters if name in archive.names]
            if not present:  # its lists are of no use: the pages as they lie in the file
                present = chapters = sorted(n for n in archive.names if n.lower().endswith(_HTML))
            if set(present) & _locked(archive):
                raise refusals.password()
            broken = 0
            for number, name in enumerate(present, 1):
                broken += not _write_chapter(writer, archive, name)
                source.progress(number, len(present))
            if broken and broken == len(present):
                raise refusals.damaged()
        title = next((e.text or "" for e in package.iter("{*}title")), "")
        lost = len(chapters) - len(present) + broken
        notes = (f"{lost} of {len(chapters)} chapters are missing or damaged.",) if lost else ()
        return writer.document(title, notes=notes, details=(("format", self.name),))


def _write_chapter(writer: Writer, archive: Archive, name: str) -> bool:
    """Sections are the chapter's own headings; one without any is called by its title. False for
    one that cannot be read."""
    try:
        data = archive.read(name)
        text = decode(data, declared_in(data) or "utf-8").text
    except (Unreadable, BadZipFile, zlib.error):
        return False
    writer.begin("heading", _page_title(text), 1)
    write_html(writer, text)
    return True


def _page_title(text: str) -> str:
    start = text.find("<title>")
    end = text.find("</title>", start)
    return (
        unescape(text[start + len("<title>") : min(end, start + 500)]) if 0 <= start < end else ""
    )


@dataclass(frozen=True)
class _Package:
    """What the book is made of; nothing, where that is missing or cannot be read."""

    root: etree._Element
    folder: str

    def iter(self, tag: str) -> Iterator[etree._Element]:
        yield from self.root.iter(tag)


def _package(archive: Archive) -> _Package:
    for name in _package_names(archive):
        try:
            return _Package(archive.xml(name), posixpath.dirname(name))
        except (KeyError, etree.XMLSyntaxError):
            continue
    return _Package(etree.Element("package"), "")


def _package_names(archive: Archive) -> Iterator[str]:
    if _CONTAINER in archive.names:
        with suppress(etree.XMLSyntaxError):
            for element in archive.xml(_CONTAINER).iter("{*}rootfile"):
                yield within("", attribute(element, "full-path"))
    yield from sorted(name for name in archive.names if name.lower().endswith(".opf"))


def _chapters(archive: Archive, package: _Package) -> Iterator[str]:
    """In the order of the spine; without one, in that of the list of all parts."""
    items = {attribute(one, "id"): one for one in package.iter("{*}item")}
    order = [attribute(one, "idref") for one in package.iter("{*}itemref")] or [*items]
    by_case = {name.lower(): name for name in archive.names}
    for key in order:
        item = items.get(key)
        if item is not None and _is_page(item):
            href = attribute(item, "href").replace("\\", "/")
            raw = posixpath.normpath(posixpath.join(package.folder, href))
            name = within(package.folder, href)
            yield raw if raw in archive.names else by_case.get(name.lower(), name)


def _is_page(item: etree._Element) -> bool:
    kind = attribute(item, "media-type").lower()
    return "html" in kind or attribute(item, "href").lower().endswith(_PAGES)


def _locked(archive: Archive) -> set[str]:
    """Members that only the shop's own reader can open. Fonts are often in the list, too."""
    if _LOCKS not in archive.names:
        return set()
    links = archive.xml(_LOCKS).iter("{*}CipherReference")
    return {within("", attribute(one, "URI")) for one in links if local(one)}
