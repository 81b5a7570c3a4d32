"""CSV and its cousins: one line for one record, whatever its cells hold."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, Literal, TypeVar

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.cleaning import clean, has_words
from webapp.documents.parsing.encoding import decode
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.writer import Writer, cells_line

_Row = TypeVar("_Row", bound=Sequence[Any])

_SEPARATORS: Final = ",;\t|^~"
# Characters that old formats separate cells and records with.
_CONTROLS: Final = {0x01: "\t", 0x1F: "\t", 0x1E: "\n"}
_LOOKED_AT: Final = 1 << 16
ONE_COLUMN: Final = "\x1f"  # no longer in the text: see `_CONTROLS`
# A quote in a quoted cell as databases write it; at the end of one it may end a path.
_BACKSLASHED: Final = re.compile(r'[^\\\n]\\"[^",;\t|\n]')
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
        writer = Writer(source.limits.characters)
        first = True
        records = records_of(clean(decoded.text.translate(_CONTROLS)))
        for number, (cells, below) in enumerate(followed(records), 1):
            if first and is_header(cells, below):
                writer.begin("columns", cells_line(cells))
            first = first and not any(cells)
            writer.row(number, cells)
        return writer.document(details=(("format", self.name), ("encoding", decoded.encoding)))


def records_of(text: str) -> Iterator[list[str]]:
    """With the quotes the text uses; without any when one is opened and never closed, which would
    make one cell of all that follows."""
    separator = separator_of(text)
    if names_separator(text):
        text = text.partition("\n")[2]
    if _BACKSLASHED.search(text, 0, _LOOKED_AT):
        text = text.replace('\\"', '""')
    quote = quote_of(text, separator)
    if _is_torn(text, separator, quote):
        return _records(text, separator, quote, csv.QUOTE_NONE)
    return _records(text, separator, quote)


def names_separator(text: str) -> bool:
    """By a first line `sep=;`, as Excel writes it."""
    return text[:4].lower() == "sep=" and text[4:5] in [*_SEPARATORS] and text[5:6] in ("", "\n")


def quote_of(text: str, separator: str) -> str:
    """Single quotes only where they stand at the ends of cells, and no others are there."""
    sample = text[:_LOOKED_AT]
    single = sample.count(f"'{separator}'")
    return "'" if '"' not in sample and 2 * single > sample.count("\n") else '"'


def separator_of(text: str) -> str:
    """The one that gives most of the first records the same number of cells, the more the better;
    what the first line names decides. `ONE_COLUMN` where none of them parts anything."""
    if names_separator(text):
        return text[4]
    sample = text[:_LOOKED_AT]
    rated = [(_evenness(sample, one), one) for one in _SEPARATORS]
    best, separator = max(rated, key=lambda each: each[0])
    return separator if best else ONE_COLUMN


def is_header(cells: Sequence[str], below: Sequence[str] = ()) -> bool:
    """Names, each once: the first row of most tables. No numbers, but for years in their order
    where the row `below` has other numbers."""
    named = [cell.strip() for cell in cells if cell.strip()]
    if not 1 < len(named) == len(set(named)):
        return False
    numbers = [cell for cell in named if _is_number(cell)]
    if not numbers:
        return True
    under = [cell for at, cell in enumerate(below) if at < len(cells) and _is_year(cells[at])]
    return (
        all(map(_is_year, numbers))
        and numbers in (sorted(numbers), sorted(numbers, reverse=True))
        and not _is_number(cells[0])
        and any(map(_is_number, under))
        and not any(map(_is_year, under))
    )


def followed(rows: Iterable[_Row]) -> Iterator[tuple[_Row, _Row | tuple[()]]]:
    """Each row with the one below it."""
    waiting: list[_Row] = []
    for row in rows:
        if waiting:
            yield waiting.pop(), row
        waiting.append(row)
    if waiting:
        yield waiting.pop(), ()


def _evenness(sample: str, separator: str) -> float:
    """0 for a text that has a comma here and there, below a name of its only column."""
    rows = islice(_records(sample, separator), _ROWS_LOOKED_AT)
    counts = [len(cells) for cells in rows if cells]
    several = [count for count in counts if count > 1]
    width, times = Counter(several).most_common(1)[0] if several else (1, 0)
    if not several or (counts[0] == 1 and 2 * times < len(counts)):
        return 0.0
    return times / len(counts) + min(width, 50) / 1000


def _records(
    text: str, separator: str, quote: str = '"', quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
) -> Iterator[list[str]]:
    csv.field_size_limit(sys.maxsize >> 32 or sys.maxsize)
    yield from csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quotechar=quote,
        quoting=quoting,
        skipinitialspace=True,
    )


def _is_torn(text: str, separator: str, quote: str) -> bool:
    lines = io.StringIO(text, newline="")
    try:
        for _ in csv.reader(
            lines, delimiter=separator, quotechar=quote, strict=True, skipinitialspace=True
        ):
            pass
    except csv.Error as fault:
        return "end of data" in str(fault)
    return False


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").lstrip("+-").isdigit()


def _is_year(cell: str) -> bool:
    return len(cell.strip()) == 4 and cell.strip().isdecimal() and 1800 <= int(cell) <= 2100
