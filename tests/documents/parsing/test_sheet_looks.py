"""What an Excel workbook tells of its cells beside their values."""

import pytest

from tests.documents.parsing.made import cells, xlsx, zipped
from webapp.documents.parsing.archive import Archive
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.sheet_looks import Look, Looks, looks_of

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="0.0%"/>'
    '<numFmt numFmtId="165" formatCode="0&quot;%&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="164"/><xf numFmtId="165"/>'
    "</cellXfs></styleSheet>"
)


def workbook(tmp_path, rows):
    path = xlsx(tmp_path / "0", {"S": rows})
    with Archive(Source(path, "x")) as archive:
        members = {name: archive.read(name) for name in archive.names}
    return Source(zipped(path, {**members, "xl/styles.xml": STYLES}), "x.xlsx")


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c r="B2" s="1"><v>0.15</v></c>', "15%"),
        ('<c r="B2" s="2"><v>0.1234</v></c>', "12.34%"),
        ('<c r="B2" s="3"><v>7</v></c>', "7"),
        ('<c r="B2" s="1" t="str"><v>none</v></c>', "none"),
        ('<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>', "#DIV/0!"),
    ],
)
def test_a_cell_says_what_its_reader_sees(tmp_path, cell, text):
    """Also in a sheet that begins in another column than the first."""
    other = '<c r="C2" t="inlineStr"><is><t>end</t></is></c>'
    rows = f'<row r="2">{cell}{other}</row>'
    assert parse(workbook(tmp_path, rows)).text == f"{text} | end"
    assert parse(workbook(tmp_path, cells(1, "top") + rows)).text == f"top\n | {text} | end"


@pytest.mark.parametrize(
    ("cell", "unsaved"),
    [
        ('<c r="B1"><f>SUM(C1:C2)</f></c>', 1),
        ('<c r="B1"><f>SUM(C1:C2)</f><v></v></c>', 1),
        ('<c r="B1"><f>SUM(C1:C2)</f><v>5</v></c>', 0),
        ('<c r="B1" t="str"><f>T(C1)</f><v></v></c>', 0),
    ],
)
def test_a_formula_without_its_result_is_said(tmp_path, cell, unsaved):
    name = '<c r="A1" t="inlineStr"><is><t>Sum</t></is></c>'
    source = workbook(tmp_path, f'<row r="1">{name}{cell}</row>')
    assert looks_of(source).of_sheets["S"].unsaved == unsaved
    assert len(parse(source).notes) == unsaved


def test_other_files_have_no_looks(tmp_path):
    path = tmp_path / "1"
    path.write_bytes(b"no archive")
    assert looks_of(Source(path, "x.xls")) == Looks()
    assert looks_of(Source(zipped(path, {"content.xml": "<a/>"}), "x.ods")) == Looks()
    assert looks_of(workbook(tmp_path, cells(1, "a"))).of_sheets["S"] == Look()
