"""Plain text, logs and program code: kept as they are, found again by their line numbers."""

from __future__ import annotations

import re
from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.archive import is_archive
from webapp.documents.parsing.cleaning import has_words
from webapp.documents.parsing.declared import declared_in
from webapp.documents.parsing.encoding import Decoded, decode
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer

_TEXT: Final = (
    ".txt .text .log .rst .tex .adoc .org .srt .vtt .ini .cfg .conf .toml .yaml .yml .env"
)
_CODE: Final = (
    ".py .pyi .js .mjs .ts .tsx .jsx .css .scss .sql .sh .bash .zsh .ps1 .bat .c .h .cc .cpp .hpp "
    ".cs .java .kt .go .rs .rb .php .pl .lua .r .jl .m .swift .scala .hs .ml .ex .erl .clj .lisp "
    ".el .vim .cmake .mk .gradle .proto .graphql .tf .dockerfile .xml .svg .xsd .xsl .diff .patch"
)

_NUMBERED: Final = re.compile(r"&#([0-9]{1,7}|[xX][0-9a-fA-F]{1,6});")  # letters in XML
# Pictures and fonts inside a text: nobody reads them, and they would fill a thousand passages.
_EMBEDDED: Final = re.compile(r"(\bdata:[\w.+-]+/[\w.+;=-]+,)[A-Za-z0-9+/=%]{200,}")

# Formats whose bytes might pass for text at a glance: archives, programs, databases, media.
_NO_TEXT: Final = (
    *(b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\0asm"),
    *(
        b"SQLite format 3\0",
        b"GGUF",
        b"RIFF",
        b"OggS",
        b"ID3",
        b"fLaC",
        b"GIF8",
        b"II*\0",
        b"MM\0*",
    ),
    *(b"\xd0\xcf\x11\xe0", b"!<arch>\n", b"\x00\x00\x01\x00", b"wOFF", b"wOF2", b"glTF"),
)


class PlainParser:
    name = "Text"
    suffixes = (*_TEXT.split(), *_CODE.split())
    has_signature = False

    def recognises(self, source: Source) -> bool:
        return not source.head.startswith(_NO_TEXT) and not is_archive(source.head)

    def parse(self, source: Source) -> Document:
        decoded = decode(source.data, declared_in(source.data))
        if decoded.text.lstrip()[:1] == "<":
            decoded = Decoded(_NUMBERED.sub(_spelled, decoded.text), decoded.encoding)
        return lines_of(source, decoded, self.name)


def lines_of(source: Source, decoded: Decoded, name: str, title: str = "") -> Document:
    """The whole text with `lines` as its place."""
    if not has_words(decoded.text):
        raise refusals.empty()
    writer = Writer(source.limits.characters)
    writer.whole_lines(_EMBEDDED.sub(r"\1…", decoded.text))
    return writer.document(title, details=(("format", name), ("encoding", decoded.encoding)))


def _spelled(found: re.Match[str]) -> str:
    """The letter for its number, unless it would not be seen or mean something else as itself."""
    number = int(found[1][1:], 16) if found[1][0] in "xX" else int(found[1])
    letter = chr(number) if number < 0x110000 else ""
    return letter if letter.isprintable() and letter not in "<>&\"'" and letter else found[0]
