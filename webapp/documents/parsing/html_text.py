"""HTML as a reader sees it: blocks as paragraphs, rows of tables as lines, headings as sections.

Pages of e-books and bodies of e-mails come through here too.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Final

from lxml import etree

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.cleaning import clean, has_words, one_line
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.html_signs import ListNumbers, before, behind
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer, cells_line

# A name that says plain text is believed: HTML in it is what somebody wants to show.
_TEXT_NAMES: Final = (".txt", ".text", ".log", ".md", ".markdown")
# How characters are read aloud (`rt`) would tear the word that they stand over.
_DROPPED_TAGS: Final = (
    "head script style noscript template iframe object datalist rt rp annotation annotation-xml"
)
_BLOCK_TAGS: Final = (
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption "
    "figure footer form header hr html legend li main menu nav ol p section summary table tbody "
    "tfoot thead caption tr ul option"
)
_DROPPED: Final = frozenset(_DROPPED_TAGS.split())
_BLOCKS: Final = frozenset(_BLOCK_TAGS.split())
_LISTED: Final = frozenset(("li", "dt", "dd", "option"))
_HEADINGS: Final = {f"h{depth}": depth for depth in range(1, 7)}
_CELLS: Final = frozenset(("td", "th"))
_HIDDEN: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_CHARSET: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.I
)
_START: Final = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
# XML may close any element at once (`<title/>`); to HTML that only opens it.
_XHTML: Final = re.compile(r"\s*<\?xml|.{0,2000}?<html\b[^>]*\sxmlns=", re.I | re.S)
_VERBATIM: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.S)
_CLOSED: Final = re.compile(r"<([A-Za-z][\w:.-]*)(\s[^<>]*)?/>")
_VOID_TAGS: Final = "area base br col embed hr img input link meta param source track wbr"
_VOID: Final = frozenset(_VOID_TAGS.split())
# Deeper than this the library gives up and keeps nothing: then the words have to do.
_TOO_DEEP: Final = "Excessive depth"
_TAGS: Final = re.compile(r"<[^<>]*>")
_WHITE: Final = re.compile(r"[ \t\n\r\f]+")


class HtmlParser:
    name = "HTML"
    suffixes = (".html", ".htm", ".xhtml", ".xht")
    has_signature = False

    def recognises(self, source: Source) -> bool:
        head = source.head.replace(b"\0", b"").decode("latin-1").lstrip("ï»¿ÿþ")
        return source.suffix in self.suffixes or (
            source.suffix not in _TEXT_NAMES and bool(_START.match(head))
        )

    def parse(self, source: Source) -> Document:
        named = _CHARSET.search(source.data[:4096])
        decoded = decode(source.data, named[1].decode("ascii") if named else "")
        if not has_words(decoded.text):
            raise refusals.empty()
        writer = Writer(source.limits.characters)
        title = write_html(writer, decoded.text)
        details = (("format", self.name), ("encoding", decoded.encoding))
        return writer.document(title, details=details)


def write_html(writer: Writer, text: str) -> str:
    """Write what the page shows; its title comes back, empty if it has none."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    text = clean(text)
    if _XHTML.match(text):
        text = _CLOSED.sub(_opened, _VERBATIM.sub(lambda found: escape(found[1]), text))
    root = etree.fromstring(text.encode("utf-8"), parser)
    if any(_TOO_DEEP in error.message for error in parser.error_log):
        writer.paragraph(unescape(_TAGS.sub("\n", text)))
        return ""
    if root is None:
        return ""
    Page(writer).read(root)
    return one_line(next((found.text or "" for found in root.iter("title")), ""))


class Page:
    """One walk over a page, without recursion: pages may be nested thousands deep."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._words: list[str] = []
        self._numbers, self._number = ListNumbers(), ""
        self._cells: list[str] | None = None
        self._layouts: set[etree._Element] = set()
        self._rows: list[etree._Element] = []
        self._verbatim = 0

    def read(self, root: etree._Element) -> None:
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag if isinstance(element.tag, str) else ""
            if event == "start" and _is_dropped(element, tag):
                walk.skip_subtree()
            elif event == "start":
                self._open(element, tag)
            else:
                if not _is_dropped(element, tag):
                    self._close(element, tag)
                self._say(element.tail if element is not root else None)
        self._flush()

    def _open(self, element: etree._Element, tag: str) -> None:
        if tag == "table":
            self._flush()
            if element.find(".//table") is not None:
                self._layouts.add(element)
        elif tag == "tr" and not self._in_layout(element):
            self._flush()
            self._rows.append(element)
            self._cells = []
        elif tag == "br":
            self._words.append("\n")
        elif tag == "pre":
            self._flush()
            self._verbatim += 1
        elif tag in _BLOCKS or tag in _HEADINGS or tag in _CELLS:
            self._flush()
            self._number += self._numbers.next(element) if tag == "li" else ""
        else:
            self._say(before(element, tag, "".join(self._words[-3:])))
        self._say(element.text)

    def _close(self, element: etree._Element, tag: str) -> None:
        if self._rows and element is self._rows[-1]:
            self._end_row()
        elif tag in _CELLS and self._cells is not None:
            self._cells.append(self._taken())
        elif tag in _HEADINGS and self._cells is None:
            self._writer.heading(self._taken(), _HEADINGS[tag])
        elif tag == "pre":
            self._flush()
            self._verbatim -= 1
        elif tag in _BLOCKS or tag in _HEADINGS or tag in _CELLS:
            self._flush(tag)
            self._number = "" if tag == "li" else self._number
        else:
            self._say(behind(element, tag))

    def _end_row(self) -> None:
        self._rows.pop()
        rest = self._taken()
        cells = [*(self._cells or []), rest]
        self._cells = None
        self._writer.line(cells_line(cells))

    def _in_layout(self, row: etree._Element) -> bool:
        table = next(row.iterancestors("table"), None)
        return table in self._layouts or bool(self._rows)

    def _say(self, text: str | None) -> None:
        if text:
            self._words.append(text if self._verbatim else _WHITE.sub(" ", text))

    def _flush(self, tag: str = "") -> None:
        """End the block that was being said; inside a row it only ends a word."""
        if self._cells is not None:
            self._words.append(" ")
        elif text := self._taken():
            write = self._writer.line if tag in _LISTED else self._writer.paragraph
            write(text)

    def _taken(self) -> str:
        text = "".join(self._words)
        self._words.clear()
        text = text.strip("\n") if self._verbatim else _trimmed(text)
        if not text or not self._number:
            return text
        number, self._number = self._number, ""
        return f"{number} {text}"


def _trimmed(text: str) -> str:
    lines = [_WHITE.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n")


def _opened(found: re.Match[str]) -> str:
    tag, rest = found[1], found[2] or ""
    return found[0] if tag.lower() in _VOID else f"<{tag}{rest}></{tag}>"


def _is_dropped(element: etree._Element, tag: str) -> bool:
    return (
        tag in _DROPPED
        or element.get("hidden") is not None
        or bool(_HIDDEN.search(element.get("style") or ""))
    )
