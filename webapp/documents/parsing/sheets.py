"""Spreadsheets: every sheet, every row with something in it as one line."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.archive import ZIP, Archive
from webapp.documents.parsing.csv_rows import followed, is_header
from webapp.documents.parsing.odt import is_open_document, refuse_locked
from webapp.documents.parsing.old_office import OLE, has_stream, is_locked_workbook
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.sheet_looks import Look, looks_of
from webapp.documents.parsing.writer import Writer, cells_line

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

Value = int | float | str | bool | datetime.time | datetime.date | datetime.timedelta

_MIDNIGHT: Final = datetime.time()
_WORKBOOKS: Final = ("xl/workbook.xml", "xl/workbook.bin")


class SheetParser:
    name = "Spreadsheet"
    suffixes = (".xlsx", ".xls", ".ods", ".xlsm", ".xlsb", ".xltx")
    has_signature = True

    def recognises(self, source: Source) -> bool:
        if source.head.startswith(OLE):
            return has_stream(source.data, "Workbook") or has_stream(source.data, "Book")
        if not source.head.startswith(ZIP):
            return False
        with Archive(source) as archive:
            if any(name in archive.names for name in _WORKBOOKS):
                return True
        return is_open_document(source, (b"opendocument.spreadsheet",))

    def parse(self, source: Source) -> Document:
        from python_calamine import CalamineWorkbook, PasswordError  # noqa: PLC0415 - child only

        _refuse_locked(source)
        writer, looks = Writer(source.limits.characters), looks_of(source)
        try:
            with (
                looks.file or source.path.open("rb") as file,
                CalamineWorkbook.from_filelike(file) as book,
            ):
                _write(writer, source, book, looks.of_sheets)
        except PasswordError as fault:
            raise refusals.password() from fault
        details = (("format", self.name), ("sheets", str(len(book.sheet_names))))
        return writer.document(notes=_notes(looks.of_sheets), details=details)


def _write(
    writer: Writer, source: Source, book: CalamineWorkbook, looks: Mapping[str, Look]
) -> None:
    names = book.sheet_names
    for number, name in enumerate(names, 1):
        writer.begin("sheet", name, number)
        writer.end("rows")
        writer.end("columns")
        sheet = book.get_sheet_by_name(name)
        first_column = sheet.start[1] if sheet.start else 0
        _write_rows(writer, sheet.iter_rows(), looks.get(name, Look()), first_column)
        source.progress(number, len(names))


def _write_rows(
    writer: Writer, rows: Iterable[Sequence[Value]], look: Look, first_column: int
) -> None:
    first = True
    for at_row, (row, below) in enumerate(followed(rows), 1):
        cells = [shown(value) for value in row]
        for column, word in look.cells.get(at_row, {}).items():
            if 0 <= (at := column - first_column) < len(cells):
                cells[at] = percentage(row[at]) if word == "%" else word
        if first and any(cells):
            first = False
            words = all(isinstance(value, str | float) for value in row)
            if words and is_header(cells, [shown(value) for value in below]):
                writer.begin("columns", cells_line(cells))
        writer.row(look.number(at_row), cells)


def shown(value: Value) -> str:
    """A cell as a reader of the sheet would write it down: `5` for 5.0, dates as ISO."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        # No more digits than a spreadsheet has: 0.1 + 0.2 is 0.3 there.
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        day = value.time() == _MIDNIGHT
        return value.date().isoformat() if day else value.isoformat(" ", "seconds")
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value)


def percentage(value: Value) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return shown(value)
    return f"{value * 100:.12g}%"


def _notes(looks: Mapping[str, Look]) -> tuple[str, ...]:
    unsaved = sum(look.unsaved for look in looks.values())
    if not unsaved:
        return ()
    return (
        f"{unsaved:,} {'cell holds a formula' if unsaved == 1 else 'cells hold formulas'} whose "
        "result is not in the file. Save it in a spreadsheet program and attach it again.",
    )


def _refuse_locked(source: Source) -> None:
    if source.head.startswith(ZIP):
        with Archive(source) as archive:
            refuse_locked(archive)
    elif is_locked_workbook(source.data):
        raise refusals.password()
