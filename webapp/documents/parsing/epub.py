"""E-books: the chapters in the order of the book's spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from html import unescape
from typing import Final

from lxml import etree

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.archive import ZIP, Archive, attribute, local, within
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.html_text import write_html
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer

_CONTAINER: Final = "META-INF/container.xml"
_LOCKS: Final = "META-INF/encryption.xml"
_PAGES: Final = (".xhtml", ".html", ".htm", ".xml")


class EpubParser:
    name = "EPUB"
    suffixes = (".epub",)
    has_signature = True

    def recognises(self, source: Source) -> bool:
        if not source.head.startswith(ZIP):
            return False
        with Archive(source) as archive:
            return _CONTAINER in archive.names

    def parse(self, source: Source) -> Document:
        writer = Writer(source.limits.characters)
        with Archive(source) as archive:
            package_name = _package_name(archive)
            package = archive.xml(package_name)
            chapters = list(_chapters(package, posixpath.dirname(package_name)))
            present = [name for name in chapters if name in archive.names]
            if set(present) & _locked(archive):
                raise refusals.password()
            for number, name in enumerate(present, 1):
                _write_chapter(writer, archive, name)
                source.progress(number, len(present))
        title = next((e.text or "" for e in package.iter("{*}title")), "")
        lost = len(chapters) - len(present)
        notes = (f"{lost} of {len(chapters)} chapters are missing in the file.",) if lost else ()
        return writer.document(title, notes=notes, details=(("format", self.name),))


def _write_chapter(writer: Writer, archive: Archive, name: str) -> None:
    """Sections are the chapter's own headings; one without any is called by its title."""
    text = decode(archive.read(name), "utf-8").text
    writer.begin("heading", _page_title(text), 1)
    write_html(writer, text)


def _page_title(text: str) -> str:
    start = text.find("<title>")
    end = text.find("</title>", start)
    return (
        unescape(text[start + len("<title>") : min(end, start + 500)]) if 0 <= start < end else ""
    )


def _package_name(archive: Archive) -> str:
    for element in archive.xml(_CONTAINER).iter("{*}rootfile"):
        return within("", attribute(element, "full-path"))
    raise refusals.damaged()


def _chapters(package: etree._Element, folder: str) -> Iterator[str]:
    items = {attribute(one, "id"): one for one in package.iter("{*}item")}
    for reference in package.iter("{*}itemref"):
        item = items.get(attribute(reference, "idref"))
        if item is not None and _is_page(item):
            yield within(folder, attribute(item, "href"))


def _is_page(item: etree._Element) -> bool:
    kind = attribute(item, "media-type").lower()
    return "html" in kind or attribute(item, "href").lower().endswith(_PAGES)


def _locked(archive: Archive) -> set[str]:
    """Members that only the shop's own reader can open. Fonts are often in the list, too."""
    if _LOCKS not in archive.names:
        return set()
    links = archive.xml(_LOCKS).iter("{*}CipherReference")
    return {within("", attribute(one, "URI")) for one in links if local(one)}
