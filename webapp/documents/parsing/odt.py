"""LibreOffice texts and slides: paragraphs, headings, one line for each row of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.archive import ZIP, Archive, attribute, local, xml_of
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer, cells_line

_FLAT: Final = b"<office:document "  # all of it in one XML file, without an archive
_KINDS: Final = (b"opendocument.text", b"opendocument.presentation", b"opendocument.graphics")
_SKIPPED_TAGS: Final = (
    "tracked-changes annotation annotation-end settings sequence-decls forms shapes "
    "bibliography-configuration alphabetical-index-auto-mark-file ruby-text"
)
_SKIPPED: Final = frozenset(_SKIPPED_TAGS.split())
_MANIFEST: Final = "META-INF/manifest.xml"


class OdtParser:
    name = "LibreOffice"
    suffixes = (".odt", ".ott", ".odp", ".fodt", ".fodp", ".fods")
    has_signature = True

    def recognises(self, source: Source) -> bool:
        return _is_flat(source) or is_open_document(source, _KINDS)

    def parse(self, source: Source) -> Document:
        writer = Writer(source.limits.characters)
        root, about, styles = _parts(source)
        title = next((one.text or "" for one in about.iter("{*}title")), "")
        margins = _margins(styles)
        slides = 0
        for body in root.iter("{*}body"):
            for child in body:
                slides = _blocks(writer, child, slides)
        for line in dict.fromkeys(filter(str.strip, margins)):
            writer.paragraph(line)
        return writer.document(title, details=(("format", self.name),))


def is_open_document(source: Source, kinds: tuple[bytes, ...]) -> bool:
    """By the member `mimetype`, which stands first and uncompressed; else by asking the archive."""
    if not source.head.startswith(ZIP):
        return False
    with Archive(source) as archive:
        if "mimetype" not in archive.names:
            return False
        kind = archive.read("mimetype")[:200]
    return any(one in kind for one in kinds)


def refuse_locked(archive: Archive) -> None:
    if _MANIFEST in archive.names and b"encryption-data" in archive.read(_MANIFEST):
        raise refusals.password()


def _is_flat(source: Source) -> bool:
    return source.head.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<") and _FLAT in source.head


def _parts(source: Source) -> tuple[etree._Element, etree._Element, etree._Element]:
    """The content, what is known about it, and the styles; one and the same where it is flat."""
    if _is_flat(source):
        root = xml_of(source.data)
        return root, root, root
    with Archive(source) as archive:
        refuse_locked(archive)
        others = (
            archive.xml(name) if name in archive.names else etree.Element("none")
            for name in ("meta.xml", "styles.xml")
        )
        return archive.xml("content.xml"), *others


def _margins(styles: etree._Element) -> Iterator[str]:
    """What stands above or below the pages of a text."""
    for part in styles.iter("{*}header", "{*}footer"):
        yield from (words(one) for one in part.iter("{*}p", "{*}h"))


def _blocks(writer: Writer, parent: etree._Element, slides: int) -> int:
    """Write what stands under `parent`; the number of slides so far comes back."""
    for child in parent:
        tag = local(child)
        if tag == "page":
            slides += 1
            writer.begin("slide", str(slides), slides)
        if tag == "h":
            level = attribute(child, "outline-level", "1")
            writer.heading(words(child), int(level) if level.isdecimal() else 1)
        elif tag == "p":
            _paragraph(writer, child)
        elif tag == "table-row":
            writer.line(cells_line([_cell(cell) for cell in child if local(cell) == "table-cell"]))
        elif tag and tag not in _SKIPPED:
            slides = _blocks(writer, child, slides)
    return slides


def _paragraph(writer: Writer, paragraph: etree._Element) -> None:
    listed = any(local(parent) == "list-item" for parent in paragraph.iterancestors())
    (writer.line if listed else writer.paragraph)(words(paragraph))


def _cell(cell: etree._Element) -> str:
    """Paragraphs, also of tables inside; what a paragraph holds it says itself."""
    said = []
    for child in cell:
        tag = local(child)
        if tag in ("p", "h"):
            said.append(words(child))
        elif tag and tag not in _SKIPPED:
            said.append(_cell(child))
    return " ".join(filter(None, said))


def words(element: etree._Element) -> str:
    """The text of one paragraph, with its notes and frames in brackets or lines of their own."""
    said = [element.text or ""]
    for child in element:
        tag = local(child)
        if tag == "s":
            count = attribute(child, "c", "1")
            said.append(" " * min(int(count) if count.isdecimal() else 1, 100))
        elif tag == "tab":
            said.append("\t")
        elif tag == "line-break":
            said.append("\n")
        elif tag == "note":
            said.append(_note(child))
        elif tag and tag not in _SKIPPED:
            apart = tag == "frame" and said[-1][-1:].strip()
            said += [" " if apart else "", words(child)]
        said.append(child.tail or "")
        if tag in ("p", "h"):
            said.append("\n")
    return "".join(said)


def _note(note: etree._Element) -> str:
    body = " ".join(words(one) for one in note.iter("{*}p"))
    return f" [{body.strip()}]" if body.strip() else ""
