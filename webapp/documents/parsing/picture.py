"""Photographs and scans of a page: only what OCR reads in them."""

from __future__ import annotations

from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing import ocr, refusals
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_JPEG_SIZES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class PictureParser:
    name = "Picture"
    suffixes = (".png", ".jpg", ".jpeg")
    has_signature = True

    def recognises(self, source: Source) -> bool:
        return source.head.startswith((_PNG, _JPEG))

    def parse(self, source: Source) -> Document:
        width, height = size_of(source.data)
        if not width or not height:
            raise refusals.damaged()
        if width * height > source.limits.picture_pixels:
            raise refusals.picture_too_large()
        if not ocr.is_available():
            raise refusals.picture()
        source.reading_pictures(0, 1)
        writer = Writer(source.limits.characters)
        writer.begin("page", "1", 1)
        writer.paragraph(ocr.read_picture(source.data, source.limits.seconds_to_ocr_a_page))
        if not writer.length:
            raise refusals.picture()
        return writer.document(notes=("Read by OCR.",), details=(("format", self.name),))


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, (0, 0) when they do not stand where they must."""
    if data.startswith(_PNG):
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        if data[at + 1] in _JPEG_SIZES:
            height, width = data[at + 5 : at + 7], data[at + 7 : at + 9]
            return int.from_bytes(width, "big"), int.from_bytes(height, "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0
