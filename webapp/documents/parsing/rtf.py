"""RTF, through striprtf."""

from __future__ import annotations

import re
from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer

_START: Final = b"{\\rtf"
_HIGH: Final = re.compile(rb"[\x80-\xff]")


class RtfParser:
    name = "RTF"
    suffixes = (".rtf",)
    has_signature = True

    def recognises(self, source: Source) -> bool:
        return source.head.lstrip().startswith(_START)

    def parse(self, source: Source) -> Document:
        from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - only the child of an RTF

        # Its bytes are ASCII with escapes; Latin-1 passes the few others through unharmed.
        text = str(rtf_to_text(_escaped(source.data).decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")  # halves of emoji
        writer = Writer(source.limits.characters)
        for line in text.split("\n"):
            writer.line(_row(line))
        return writer.document(details=(("format", self.name),))


def _escaped(data: bytes) -> bytes:
    """Bytes of the document's own encoding that some programs leave as they are. Pictures that are
    not written in digits count their bytes, so nothing is touched there."""
    if data.isascii() or b"\\bin" in data:
        return data
    return _HIGH.sub(lambda found: b"\\'%02x" % found[0][0], data)


def _row(line: str) -> str:
    """Cells of a table come as `a|b|`."""
    return " | ".join(line.rstrip("|").split("|")) if line.endswith("|") else line
