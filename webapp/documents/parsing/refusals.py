"""Why a file is not read: one code and one pair of sentences for each reason."""

from __future__ import annotations

import math
from typing import Final

from webapp.documents.parsing.limits import MB
from webapp.errors import Unreadable

KINDS: Final = (
    "PDF, Word (.docx), LibreOffice text (.odt), EPUB, PowerPoint (.pptx), Excel (.xlsx, .xls), "
    ".ods, CSV, HTML, RTF, e-mail (.eml, .mbox), Markdown, notebooks, JSON, plain text and program "
    "code"
)
_GET_OCR: Final = (
    "Attach a version with text, or install tesseract (Debian, Ubuntu: apt install tesseract-ocr; "
    "macOS: brew install tesseract) and read it again."
)


def too_large(size: int, limit: int) -> Unreadable:
    return Unreadable(
        f"This file is {_megabytes(size)}; the limit is {_megabytes(limit)}.",
        "Split it, or raise the limit in the settings.",
        "too_large",
    )


def too_much_text(characters: int) -> Unreadable:
    return Unreadable(
        f"This file is too large: it holds more than {characters:,} characters of text.",
        "Split it and attach the parts.",
        "too_large",
    )


def too_many_pages(pages: int, limit: int) -> Unreadable:
    return Unreadable(
        f"This file is too large: it has {pages:,} pages; the limit is {limit:,}.",
        "Split it and attach the parts.",
        "too_large",
    )


def picture_too_large() -> Unreadable:
    return Unreadable("This picture is too large to be read.", "Make it smaller.", "too_large")


def empty() -> Unreadable:
    return Unreadable("This file is empty.", "Attach one with text in it.", "empty")


def unsupported(do: str = "") -> Unreadable:
    return Unreadable(
        "Files of this type cannot be read.", do or f"What can be read: {KINDS}.", "unsupported"
    )


def archive() -> Unreadable:
    return Unreadable(
        "This is an archive of other files, and archives are not opened.",
        "Unpack it and attach the files that are in it.",
        "unsupported",
    )


def password() -> Unreadable:
    return Unreadable(
        "This file is protected by a password.",
        "Remove the protection and attach it again.",
        "password",
    )


def damaged() -> Unreadable:
    return Unreadable(
        "This file is damaged and cannot be read.",
        "Open it in the program it comes from, save it again, and attach that.",
        "damaged",
    )


def scan() -> Unreadable:
    return Unreadable(
        "This PDF holds pictures of pages and no text (it is a scan).",
        _GET_OCR,
        "no_text",
    )


def garbled() -> Unreadable:
    return Unreadable(
        "This PDF shows text, but there is no text in it that can be read (its fonts do not say "
        "which letters they draw).",
        _GET_OCR,
        "no_text",
    )


def picture() -> Unreadable:
    return Unreadable("This is a picture; no text could be read in it.", _GET_OCR, "no_text")


def no_text() -> Unreadable:
    return Unreadable("There is no text in this file.", "Attach one with text in it.", "no_text")


def bomb() -> Unreadable:
    return Unreadable(
        "This file unpacks to far more than its size and was not opened.",
        "If it is yours, save it again without whatever makes it so big.",
        "archive_bomb",
    )


def too_slow(seconds: float) -> Unreadable:
    return Unreadable(
        f"Reading this file took too long ({seconds:.0f} s) and was stopped.",
        "Split it, or save it in a simpler format, and attach that.",
        "too_slow",
    )


def too_much_memory() -> Unreadable:
    return Unreadable(
        "Reading this file took too much memory and was stopped.",
        "Split it, or save it in a simpler format, and attach that.",
        "too_big_in_memory",
    )


def not_started(why: str) -> Unreadable:
    return Unreadable(
        f"The program that reads files could not be started: {why}.",
        "Close other programs and read the file again.",
        "not_started",
    )


def _megabytes(size: int) -> str:
    """Rounded up, so that what is over a limit never reads like the limit."""
    return f"{math.ceil(10 * size / MB) / 10:,.1f}".removesuffix(".0") + " MB"
