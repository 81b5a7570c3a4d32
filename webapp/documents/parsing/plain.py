"""Plain text, logs and program code: kept as they are, found again by their line numbers."""

from __future__ import annotations

from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.archive import is_archive
from webapp.documents.parsing.cleaning import has_words
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
        return lines_of(source, decode(source.data), self.name)


def lines_of(source: Source, decoded: Decoded, name: str, title: str = "") -> Document:
    """The whole text with `lines` as its place."""
    if not has_words(decoded.text):
        raise refusals.empty()
    writer = Writer(source.limits.characters)
    writer.whole_lines(decoded.text)
    return writer.document(title, details=(("format", name), ("encoding", decoded.encoding)))
