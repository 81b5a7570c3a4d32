"""Cells far apart in a sheet of Excel."""

import re

import pytest

from tests.documents.parsing.made import cells, xlsx
from webapp.documents.document import describe
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.sheet_squeeze import column_number, squeezed


def cell(place, words):
    return f'<c r="{place}" t="inlineStr"><is><t>{words}</t></is></c>'


def row(number, *pairs):
    return f'<row r="{number}">{"".join(cell(*pair) for pair in pairs)}</row>'


@pytest.mark.parametrize("last", ["A1048576", "Z1048576", "XFD1048576", "XFD9000"])
def test_a_word_in_the_last_cell_of_all_is_read_with_its_row(tmp_path, last):
    number = int(re.sub("[A-Z]", "", last))
    rows = cells(1, "name", "price") + row(7, ("A7", "mid")) + row(number, (last, "end"))
    document = parse(Source(xlsx(tmp_path / "0", {"S": rows, "T": cells(1, "other")}), "x.xlsx"))
    lines = [line.strip(" |") for line in document.text.split("\n")]
    assert lines == ["name | price", "mid", "end", "other"]
    at = document.text.index("end")
    assert f"row {number}" in describe(document.within(at, at + 3))


def test_cells_keep_their_order_and_what_lies_between_is_left_out():
    moved = squeezed(
        (row(1, ("B1", "a"), ("ZZ1", "b")) + row(1048576, ("XFD1048576", "c"))).encode()
    )
    assert re.findall(rb'r="([A-Z]\d)"', moved.sheet) == [b"A1", b"B1", b"C2"]
    assert moved.rows == (1, 1048576)


@pytest.mark.parametrize(
    "sheet", [b"", b"<row>", row(9, ("ZZ9", "a")).encode(), b'<row r="1048576"/>']
)
def test_other_sheets_are_left_alone(sheet):
    assert squeezed(sheet) is None


def test_columns_are_counted_from_their_letters():
    assert [column_number(name) for name in (b"A", b"Z", b"AA", b"XFD")] == [0, 25, 26, 16383]
