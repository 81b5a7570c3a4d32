"""From a file to its document: the checks that need no parser, the right parser, its result."""

from __future__ import annotations

from dataclasses import replace

from webapp.documents.document import Document
from webapp.documents.parsing import PARSERS, old_office, refusals
from webapp.documents.parsing.archive import is_archive
from webapp.documents.parsing.old_office import OLE
from webapp.documents.parsing.parser import Parser, Source
from webapp.errors import Unreadable


def parse(source: Source) -> Document:
    """Unreadable with the reason; the name counts only where the bytes leave a choice."""
    refuse_by_size(source.path.stat().st_size, source.limits.file_bytes)
    try:
        parser = chosen(source)
        document = parser.parse(source)
    except Unreadable as fault:
        if str(fault) == str(refusals.unsupported()) and promised(source):
            raise refusals.damaged() from fault
        raise
    format = promised(source)
    if parser.has_signature or format is None:
        return document
    note = f"Its name ends in {source.suffix}, but it is text and was read as text."
    return replace(document, notes=(*document.notes, note))


def refuse_by_size(size: int, limit: int) -> None:
    if size > limit:
        raise refusals.too_large(size, limit)
    if size == 0:
        raise refusals.empty()


def chosen(source: Source) -> Parser:
    """Unreadable when there is no parser for these bytes."""
    for parser in PARSERS:
        if parser.recognises(source):
            return parser
    if source.head.startswith(OLE):
        raise old_office.refusal(source)
    raise refusals.archive() if is_archive(source.head) else refusals.unsupported()


def promised(source: Source) -> Parser | None:
    """The parser that the name speaks of, if the bytes of its format cannot be mistaken."""
    named = (parser for parser in PARSERS if source.suffix in parser.suffixes)
    return next((parser for parser in named if parser.has_signature), None)
