"""RTF, through striprtf."""

from __future__ import annotations

from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer

_START: Final = b"{\\rtf"


class RtfParser:
    name = "RTF"
    suffixes = (".rtf",)
    has_signature = True

    def recognises(self, source: Source) -> bool:
        return source.head.lstrip().startswith(_START)

    def parse(self, source: Source) -> Document:
        from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - only the child of an RTF

        # Its bytes are ASCII with escapes; Latin-1 passes the few others through unharmed.
        text = str(rtf_to_text(source.data.decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
        writer = Writer(source.limits.characters)
        for line in text.split("\n"):
            writer.line(_row(line))
        return writer.document(details=(("format", self.name),))


def _row(line: str) -> str:
    """Cells of a table come as `a|b|`."""
    return " | ".join(line.rstrip("|").split("|")) if line.endswith("|") else line
