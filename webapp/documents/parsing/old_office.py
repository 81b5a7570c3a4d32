"""The container of Office files before 2007, and of those that a password locks.

Only looked at: which streams it holds says what it is."""

from __future__ import annotations

from typing import Final

from webapp.documents.parsing import refusals
from webapp.documents.parsing.parser import Source
from webapp.errors import Unreadable

OLE: Final = bytes.fromhex("d0cf11e0a1b11ae1")

_SAVE_AS: Final = {
    "WordDocument": ".docx",
    "PowerPoint Document": ".pptx",
    "__substg1.0_": ".eml",
    "__nameid_version1.0": ".eml",
}
_WORKBOOK_START: Final = bytes.fromhex("09081000000605")
_LOCK_RECORD: Final = 0x2F
_SECTOR: Final = 512


def has_stream(data: bytes, name: str) -> bool:
    """Names of streams stand in the container's directory as UTF-16, filled up with zeros."""
    entry = name.encode("utf-16-le")
    at = data.find(entry)
    while at >= 0:
        if at % 128 == 0:  # entries are 128 bytes each and begin with the name
            return True
        at = data.find(entry, at + 1)
    return False


def is_locked_workbook(data: bytes) -> bool:
    """By the record that says how it is locked, one of the first in the workbook's stream."""
    at = data.find(_WORKBOOK_START)
    while at >= 0 and at % _SECTOR:
        at = data.find(_WORKBOOK_START, at + 1)
    for _ in range(4):
        kind, length = data[at : at + 2], int.from_bytes(data[at + 2 : at + 4], "little")
        if at < 0 or int.from_bytes(kind, "little") == _LOCK_RECORD:
            break
        at += 4 + length
    else:
        return False
    return at >= 0


def refusal(source: Source) -> Unreadable:
    """Why a container that is no workbook is not read."""
    data = source.data
    if has_stream(data, "EncryptedPackage") or has_stream(data, "EncryptionInfo"):
        return refusals.password()
    for stream, suffix in _SAVE_AS.items():
        if has_stream(data, stream):
            return refusals.unsupported(f"Save it as {suffix} and try again.")
    return refusals.unsupported()
