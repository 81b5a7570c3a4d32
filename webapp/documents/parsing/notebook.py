"""Notebooks of code: the cells as they are read on the screen, with what they printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.documents.document import Document
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.json_text import JsonParser
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*")
_FENCE: Final = re.compile(r" {0,3}(?:```|~~~)")
_SHOWN: Final = ("text/markdown", "text/plain", "text/latex")  # pictures say nothing here


class NotebookParser:
    name = "Notebook"
    suffixes = (".ipynb",)
    has_signature = False

    def recognises(self, source: Source) -> bool:
        return source.suffix in self.suffixes

    def parse(self, source: Source) -> Document:
        decoded = decode(source.data)
        try:
            book = json.loads(decoded.text)
        except (ValueError, RecursionError):
            return JsonParser().parse(source)
        cells = list(_cells(book))
        if not cells:
            return JsonParser().parse(source)
        writer, title = Writer(source.limits.characters), ""
        for cell in cells:
            if cell.get("cell_type") in ("markdown", "heading"):
                first = _write_words(writer, cell)
                title = title or first
            else:
                writer.paragraph(_joined(cell.get("source", cell.get("input"))))
                for output in _mappings(cell.get("outputs")):
                    writer.paragraph(_printed(output))
        details = (("format", self.name), ("encoding", decoded.encoding))
        return writer.document(title, details=details)


def _cells(book: object) -> Iterator[Mapping[str, Any]]:
    """Also those of the older form, which has sheets around them."""
    if isinstance(book, dict):
        yield from _mappings(book.get("cells"))
        for sheet in _mappings(book.get("worksheets")):
            yield from _mappings(sheet.get("cells"))


def _write_words(writer: Writer, cell: Mapping[str, Any]) -> str:
    """The first heading comes back."""
    first, waiting, in_code = "", list[str](), False
    for line in _joined(cell.get("source")).split("\n"):
        in_code ^= _FENCE.match(line) is not None
        heading = None if in_code else _HEADING.fullmatch(line)
        if heading is None:
            waiting.append(line)
            continue
        writer.paragraph("\n".join(waiting))
        waiting.clear()
        writer.heading(heading[2], len(heading[1]))
        first = first or heading[2]
    writer.paragraph("\n".join(waiting))
    return first


def _printed(output: Mapping[str, Any]) -> str:
    data = output.get("data")
    kinds = data if isinstance(data, dict) else {}
    shown = next((kinds[kind] for kind in _SHOWN if kind in kinds), output.get("text"))
    if output.get("output_type") in ("error", "pyerr"):
        shown = "\n".join(str(line) for line in output.get("traceback") or ())
    return _joined(shown)


def _joined(text: object) -> str:
    """Lines may stand in a list, each with its end."""
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")


def _mappings(values: object) -> Iterator[Mapping[str, Any]]:
    yield from (
        one for one in (values if isinstance(values, list) else ()) if isinstance(one, dict)
    )
