"""Excel sheets with a few cells far apart: moved together before the library lays out all between.

One word in the last row that a sheet can have would else take more memory than there is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MOST_LAID_OUT: Final = 4_000_000  # cells, full and empty
_LAST_ROW: Final = re.compile(rb'\br="(\d{1,7})"')
_ROW: Final = re.compile(rb'(<row\b[^>]*?\br=")(\d{1,7})"')
_CELL: Final = re.compile(rb'(<c\b[^>]*?\br=")([A-Z]{1,3})(\d{1,7})"')
_SIZE: Final = re.compile(rb"<dimension\b[^>]*?/>")
_WIDE: Final = ((re.compile(rb'<c r="[A-Z]{3}'), 16_384), (re.compile(rb'<c r="[A-Z]{2}'), 702))
_LETTERS: Final = 26


@dataclass(frozen=True)
class Squeezed:
    """`rows`: the number that each row of `sheet` has in the file."""

    sheet: bytes
    rows: tuple[int, ...]


def squeezed(sheet: bytes) -> Squeezed | None:
    """None for a sheet that can be laid out as it is."""
    if _area_at_most(sheet) <= _MOST_LAID_OUT:
        return None
    places = [(column_number(found[2]), int(found[3])) for found in _CELL.finditer(sheet)]
    columns, rows = sorted({each[0] for each in places}), sorted({each[1] for each in places})
    if not places or (columns[-1] + 1) * rows[-1] <= _MOST_LAID_OUT:
        return None
    new_column = {old: b"%s" % _letters(new) for new, old in enumerate(columns)}
    new_row = {old: b"%d" % new for new, old in enumerate(rows, 1)}

    def cell(found: re.Match[bytes]) -> bytes:
        at = new_column[column_number(found[2])] + new_row[int(found[3])]
        return found[1] + at + b'"'

    def row(found: re.Match[bytes]) -> bytes:
        return found[1] + new_row.get(int(found[2]), b"%d" % len(rows)) + b'"'

    moved = _ROW.sub(row, _CELL.sub(cell, _SIZE.sub(b"", sheet)))
    return Squeezed(moved, tuple(rows))


def column_number(letters: bytes) -> int:
    """From 0."""
    number = 0
    for letter in letters:
        number = number * _LETTERS + letter - ord("A") + 1
    return number - 1


def _letters(number: int) -> bytes:
    number, said = number + 1, b""
    while number:
        number, rest = divmod(number - 1, _LETTERS)
        said = bytes([ord("A") + rest]) + said
    return said


def _area_at_most(sheet: bytes) -> int:
    """A quick look: rows to the last one, times as many columns as the longest name may mean."""
    last = _LAST_ROW.search(sheet, max(0, sheet.rfind(b"<row")))
    columns = next((most for kind, most in _WIDE if kind.search(sheet)), _LETTERS)
    return int(last[1]) * columns if last else 0
