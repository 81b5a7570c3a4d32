"""RTF, through striprtf."""

from __future__ import annotations

import re
from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer

_START: Final = b"{\\rtf"
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_TELLING: Final = re.compile(rb"\\(?:v|deleted|footnote|header|footer)[^a-z]")
_TOKEN: Final = re.compile(
    rb"\\(?P<word>[a-z]{1,32})(?P<number>-?\d{1,10})? ?|\\'[0-9a-f]{2}|\\[^a-z]|[{}]|[^\\{}]+|.",
    re.IGNORECASE | re.DOTALL,
)
# By its name: what is written in front of a text that stands aside, and behind it.
_ASIDE: Final = {
    b"footnote": (b" [", b"]"),
    b"header": (b"", b"\\par "),
    b"footer": (b"", b"\\par "),
}


class RtfParser:
    name = "RTF"
    suffixes = (".rtf",)
    has_signature = True

    def recognises(self, source: Source) -> bool:
        return source.head.lstrip().startswith(_START)

    def parse(self, source: Source) -> Document:
        from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - only the child of an RTF

        # Its bytes are ASCII with escapes; Latin-1 passes the few others through unharmed.
        data = _escaped(_as_seen(source.data))
        text = str(rtf_to_text(data.decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")  # halves of emoji
        writer = Writer(source.limits.characters)
        for line in text.split("\n"):
            writer.line(_row(line))
        return writer.document(details=(("format", self.name),))


def _as_seen(data: bytes) -> bytes:
    """Without words that are hidden or marked as deleted; with notes, which the library leaves
    out, where they belong. Not for pictures that count their bytes, as below."""
    if b"\\bin" in data or not _TELLING.search(data):
        return data
    kept: list[bytes] = []
    hidden, ends = [False], [b""]
    for token in _TOKEN.finditer(data):
        word = token["word"]
        if token[0] == b"{":
            hidden.append(hidden[-1])
            ends.append(b"")
        elif token[0] == b"}" and len(hidden) > 1:
            hidden.pop()
            kept.append(ends.pop())
        elif word in (b"v", b"deleted"):
            hidden[-1] = token["number"] != b"0"
            continue
        elif word == b"plain":
            hidden[-1] = False
        elif word in _ASIDE:
            kept.append(_ASIDE[word][0])
            ends[-1] = _ASIDE[word][1]
            continue
        elif hidden[-1] and (word is None or word == b"u"):
            continue
        kept.append(token[0])
    return b"".join(kept)


def _escaped(data: bytes) -> bytes:
    """Bytes of the document's own encoding that some programs leave as they are. Pictures that are
    not written in digits count their bytes, so nothing is touched there."""
    if data.isascii() or b"\\bin" in data:
        return data
    return _HIGH.sub(lambda found: b"\\'%02x" % found[0][0], data)


def _row(line: str) -> str:
    """Cells of a table come as `a|b|`."""
    return " | ".join(line.rstrip("|").split("|")) if line.endswith("|") else line
