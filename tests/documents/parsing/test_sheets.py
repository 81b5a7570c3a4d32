import datetime

import pytest

from tests.documents.parsing.made import CASES, SAMPLES, cells, odt, ole, xlsx
from tests.documents.parsing.parser_contract import ParserContract, ending
from webapp.documents.document import describe
from webapp.documents.parsing.choosing import chosen, parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.sheets import SheetParser, shown


class TestSheets(ParserContract):
    parser = SheetParser
    expected = ("Order | Date | Customer | Amount | VAT", "A-1000 | 2025-01-01")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "orders.xlsx", "orders.xlsx"


class TestInflatedSheets(ParserContract):
    parser = SheetParser
    expected = ("first | second | third", "6 | 0 | -6")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "docling-inflated.xlsx", "x.xlsx"


class TestOldSheets(ParserContract):
    parser = SheetParser
    expected = ("Ware | Menge | Tag", "Töpfe | 12 | 2024-03-01", "茶 | 3.5")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "stock.xls", "stock.xls"


def test_a_computed_cell_is_its_value():
    assert parse(Source(CASES / "sums.xlsx", "s.xlsx")).text == "2\n3\n5"


def test_sheets_and_rows_are_places_with_the_numbers_of_the_sheet(tmp_path):
    path = xlsx(tmp_path / "0", {"A": cells(3, "x", "y") + cells(7, "z"), "B": cells(1, "b")})
    document = parse(Source(path, "x.xlsx"))
    assert document.text == "x | y\nz\nb"
    assert describe(document.within(6, 7)) == "sheet A, row 7"
    assert describe(document.within(8, 9)) == "sheet B, row 1"
    assert dict(document.details)["sheets"] == "2"


def test_a_header_row_holds_for_its_sheet_only(tmp_path):
    path = xlsx(
        tmp_path / "0", {"A": cells(1, "Name", "Price") + cells(2, "a", "b"), "B": cells(1, "q")}
    )
    document = parse(Source(path, "x.xlsx"))
    columns = [(p.label, p.start, p.end) for p in document.places if p.kind == "columns"]
    assert columns == [("Name | Price", 0, len("Name | Price\na | b"))]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (1.5, "1.5"),
        (1e300, "1e+300"),
        (True, "TRUE"),
        ("a\nb", "a\nb"),
        (datetime.date(2024, 1, 2), "2024-01-02"),
        (datetime.datetime(2024, 1, 2), "2024-01-02"),
        (datetime.datetime(2024, 1, 2, 3, 4), "2024-01-02 03:04:00"),
        (datetime.time(3, 4), "03:04:00"),
        (datetime.timedelta(hours=30), "30:00:00"),
        (0.1 + 0.2, "0.3"),
        (19.989999999999998, "19.99"),
    ],
)
def test_a_value_is_shown_as_one_would_write_it_down(value, text):
    assert shown(value) == text


def test_open_document_sheets_are_read(tmp_path):
    cell = '<table:table-cell office:value-type="string"><text:p>one</text:p></table:table-cell>'
    table = f'<table:table table:name="T"><table:table-row>{cell}</table:table-row></table:table>'
    body = f"<office:spreadsheet>{table}</office:spreadsheet>"
    manifest = {"META-INF/manifest.xml": "<manifest/>"}
    document = parse(Source(odt(tmp_path / "0", body, kind="spreadsheet", **manifest), "x.ods"))
    assert document.text == "one"
    assert describe(document.within(0, 3)) == "sheet T, row 1"


def test_locked_workbooks_of_every_age_need_their_password(tmp_path):
    assert ending(SAMPLES / "tika-password.xlsx", "x.xlsx")["code"] == "password"
    manifest = {"META-INF/manifest.xml": "<manifest:encryption-data/>"}
    path = odt(tmp_path / "0", "", kind="spreadsheet", **manifest)
    assert ending(path, "x.ods")["code"] == "password"
    start = bytes.fromhex("0908100000060500") + bytes(12) + bytes.fromhex("2f003600") + bytes(54)
    path = tmp_path / "1"
    path.write_bytes(ole("Workbook", more=start.ljust(512, b"\0")))
    assert type(chosen(Source(path, "x.xls"))) is SheetParser
    assert ending(path, "x.xls")["code"] == "password"


def test_an_empty_workbook_has_no_text(tmp_path):
    assert ending(xlsx(tmp_path / "0", {"A": ""}), "x.xlsx")["code"] == "no_text"


def test_years_head_the_columns_of_a_sheet(tmp_path):
    head = '<c r="A1" t="inlineStr"><is><t>Land</t></is></c><c r="B1"><v>2019</v></c>'
    rows = f'<row r="1">{head}</row><row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>7</v></c></row>'
    document = parse(Source(xlsx(tmp_path / "0", {"S": rows}), "x.xlsx"))
    assert [p.label for p in document.places if p.kind == "columns"] == ["Land | 2019"]
