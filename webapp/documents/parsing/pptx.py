"""PowerPoint: the text of each slide in its order, tables as lines, the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

from webapp.documents.document import Document
from webapp.documents.parsing.archive import ZIP, Archive, attribute, local
from webapp.documents.parsing.cleaning import one_line
from webapp.documents.parsing.docx import title_of
from webapp.documents.parsing.formulas import formula, is_power
from webapp.documents.parsing.office_graphics import write_graphics
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer, cells_line

_MAIN: Final = "ppt/presentation.xml"
_TITLES: Final = ("title", "ctrTitle")
# Placeholders that say the same on every slide, or nothing.
_FURNITURE: Final = ("sldNum", "dt", "ftr", "hdr", "sldImg")


class PptxParser:
    name = "PowerPoint"
    suffixes = (".pptx", ".pptm", ".ppsx", ".potx")
    has_signature = True

    def recognises(self, source: Source) -> bool:
        if not source.head.startswith(ZIP):
            return False
        with Archive(source) as archive:
            return _MAIN in archive.names

    def parse(self, source: Source) -> Document:
        writer = Writer(source.limits.characters)
        with Archive(source) as archive:
            slides = list(_slides(archive))
            for number, name in enumerate(slides, 1):
                writer.begin("slide", str(number), number)
                writer.end("heading")
                _shapes(writer, archive.xml(name))
                write_graphics(writer, archive, name)
                _notes(writer, archive, name)
                source.progress(number, len(slides))
            title = title_of(archive)
        details = (("format", self.name), ("slides", str(len(slides))))
        return writer.document(title, details=details)


def _slides(archive: Archive) -> Iterator[str]:
    """In the order they are shown, which is not that of their names."""
    related = archive.related(_MAIN)
    for element in archive.xml(_MAIN).iter("{*}sldId"):
        kind, name = related.get(_relation(element), ("", ""))
        if kind == "slide" and name in archive.names:
            yield name


def _relation(element: etree._Element) -> str:
    """`r:id`; the plain `id` beside it is something else."""
    links = (value for key, value in element.items() if str(key).endswith("}id"))
    return str(next(links, ""))


def _shapes(writer: Writer, parent: etree._Element) -> None:
    for child in parent:
        tag = local(child)
        if tag == "tr":
            writer.line(cells_line([_text(cell) for cell in child if local(cell) == "tc"]))
        elif tag == "sp" and _placeholder(child) in _FURNITURE:
            continue
        elif tag == "sp" and _placeholder(child) in _TITLES:
            writer.heading(one_line(_text(child)), 1)
        elif tag == "txBody":
            writer.paragraph(_text(child))
        elif tag and tag != "Fallback":
            _shapes(writer, child)


def _notes(writer: Writer, archive: Archive, slide: str) -> None:
    for kind, name in archive.related(slide).values():
        if kind == "notesSlide" and name in archive.names:
            shapes = archive.xml(name).iter("{*}sp")
            said = [_text(shape) for shape in shapes if _placeholder(shape) not in _FURNITURE]
            text = "\n".join(said).strip()
            writer.paragraph(f"Notes: {text}" if text else "")


def _placeholder(shape: etree._Element) -> str:
    return next((attribute(one, "type") for one in shape.iter("{*}ph")), "")


def _text(element: etree._Element) -> str:
    return "\n".join(_words(one) for one in element.iter("{*}p"))


def _words(paragraph: etree._Element) -> str:
    said: list[str] = []
    for element in paragraph:
        tag = local(element)
        if tag in ("r", "fld"):
            words = "".join(one.text or "" for one in element if local(one) == "t")
            raised = _is_raised(element) and is_power("".join(said[-3:]), words)
            said += ["^", words] if raised else [words]
        elif tag == "br":
            said.append("\n")
        elif tag in ("oMath", "oMathPara"):
            said.append(formula(element))
        elif tag and tag != "Fallback":
            said.append(_words(element))
    return "".join(said)


def _is_raised(run: etree._Element) -> bool:
    looks = (one for one in run if local(one) == "rPr")
    return any(attribute(look, "baseline", "0")[:1] not in "-0" for look in looks)
