"""CSV and its cousins: one line for one record, whatever its cells hold."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Final

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.cleaning import clean, has_words
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer, cells_line

_SEPARATORS: Final = ",;\t|"
_LOOKED_AT: Final = 1 << 16
_ROWS_LOOKED_AT: Final = 50


class CsvParser:
    name = "CSV"
    suffixes = (".csv", ".tsv", ".tab")
    has_signature = False

    def recognises(self, source: Source) -> bool:
        return source.suffix in self.suffixes  # any text with commas could be one

    def parse(self, source: Source) -> Document:
        decoded = decode(source.data)
        if not has_words(decoded.text):
            raise refusals.empty()
        text = clean(decoded.text)
        writer = Writer(source.limits.characters)
        for number, cells in enumerate(_records(text, separator_of(text)), 1):
            if number == 1 and is_header(cells):
                writer.begin("columns", cells_line(cells))
            writer.row(number, cells)
        return writer.document(details=(("format", self.name), ("encoding", decoded.encoding)))


def separator_of(text: str) -> str:
    """The one that gives most of the first records the same number of cells, the more the better.

    A first line `sep=;`, as Excel writes it, decides."""
    if text[:4].lower() == "sep=" and text[4:5] in _SEPARATORS and text[4:5]:
        return text[4]
    sample = text[:_LOOKED_AT]
    return max(_SEPARATORS, key=lambda one: _evenness(sample, one))


def is_header(cells: list[str]) -> bool:
    """Names, each once, and no numbers: the first row of most tables."""
    named = [cell.strip() for cell in cells if cell.strip()]
    return 1 < len(named) == len(set(named)) and not any(_is_number(cell) for cell in named)


def _evenness(sample: str, separator: str) -> float:
    counts = []
    for cells in _records(sample, separator):
        counts.append(len(cells))
        if len(counts) == _ROWS_LOOKED_AT:
            break
    width, times = Counter(counts).most_common(1)[0] if counts else (1, 0)
    return 0.0 if width < 2 else times / len(counts) + min(width, 50) / 1000


def _records(text: str, separator: str) -> Iterator[list[str]]:
    csv.field_size_limit(sys.maxsize >> 32 or sys.maxsize)
    yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").lstrip("+-").isdigit()
