import pytest

from tests.documents.parsing.made import ODF, SAMPLES, odt
from tests.documents.parsing.parser_contract import ParserContract, ending
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.odt import OdtParser
from webapp.documents.parsing.parser import Source


class TestOdt(ParserContract):
    parser = OdtParser
    expected = ("Publicatie Onbekwaamverklaring", "Identificatie vredegerecht |")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "tika-styles.odt", "x.odt"


@pytest.fixture
def read(tmp_path):
    def of(body, **more):
        return parse(Source(odt(tmp_path / "0", f"<office:text>{body}</office:text>", **more), "x"))

    return of


def test_headings_spaces_breaks_and_notes(read):
    document = read(
        '<text:h text:outline-level="2">Part<text:s/>one</text:h>'
        '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/><text:span>d</text:span>e'
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>small</text:p>"
        "</text:note-body></text:note>.</text:p>"
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        "<text:p><office:annotation><text:p>remark</text:p></office:annotation>end</text:p>"
    )
    assert document.text == "Part one\n\na   b\tc\nde [small].\n\nend"
    assert [(p.kind, p.label, p.number) for p in document.places] == [("heading", "Part one", 2)]


def test_rows_are_lines_and_list_items_too(read):
    document = read(
        "<table:table><table:table-header-rows><table:table-row>"
        "<table:table-cell><text:p>a</text:p><text:p>b</text:p></table:table-cell>"
        "<table:covered-table-cell/><table:table-cell><text:p>c</text:p></table:table-cell>"
        "</table:table-row></table:table-header-rows></table:table>"
        "<text:list><text:list-item><text:p>one</text:p></text:list-item>"
        "<text:list-item><text:p>two</text:p></text:list-item></text:list>"
    )
    assert document.text == "a b | c\none\ntwo"


def test_slides_are_counted(tmp_path):
    box = "<draw:text-box><text:p>{}</text:p></draw:text-box>"
    page = f"<draw:page><draw:frame>{box}</draw:frame></draw:page>"
    body = f"<office:presentation>{page.format('one')}{page.format('two')}</office:presentation>"
    document = parse(Source(odt(tmp_path / "0", body, kind="presentation"), "x.odp"))
    assert [(p.kind, p.label) for p in document.places] == [("slide", "1"), ("slide", "2")]


def test_a_frame_in_a_line_does_not_lose_its_words(read):
    frame = "<draw:frame><draw:text-box><text:p>framed</text:p></draw:text-box></draw:frame>"
    assert read(f"<text:p>before {frame}after</text:p>").text == "before framed\nafter"


def test_a_locked_text_needs_its_password(tmp_path):
    manifest = "<manifest:encryption-data/>"
    path = odt(tmp_path / "0", "", **{"META-INF/manifest.xml": manifest})
    assert ending(path, "x.odt")["code"] == "password"


def test_what_a_cell_holds_is_said_once_and_remarks_are_not(read):
    note = "<text:note><text:note-body><text:p>net</text:p></text:note-body></text:note>"
    remark = "<office:annotation><text:p>Why?</text:p></office:annotation>"
    frame = "<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>"
    inner = "<table:table><table:table-row><table:table-cell><text:p>in</text:p></table:table-cell>"
    cells = (
        f"<text:p>Fee{note}</text:p>",
        f"<text:p>5{remark}</text:p>{remark}",
        f"<text:p>a{frame}</text:p>",
        f"{inner}</table:table-row></table:table>",
    )
    row = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
    document = read(f"<table:table><table:table-row>{row}</table:table-row></table:table>")
    assert document.text == "Fee [net] | 5 | a box | in"


def test_what_stands_above_and_below_the_pages_is_read(read):
    pages = "<p:header><text:p>Contract 4711</text:p></p:header><p:footer><text:p/></p:footer>"
    styles = f'<p:styles {ODF} xmlns:p="urn:p">{pages}{pages}</p:styles>'
    assert read("<text:p>Body</text:p>", **{"styles.xml": styles}).text == "Body\n\nContract 4711"


def test_a_document_without_an_archive_around_it_is_read(tmp_path):
    path = tmp_path / "0"
    body = "<office:body><office:text><text:p>A &amp; B</text:p></office:text></office:body>"
    path.write_text(f'<?xml version="1.0"?><office:document {ODF}>{body}</office:document>')
    for name in ("x.fodt", "x.xml"):
        assert parse(Source(path, name)).text == "A & B"


def test_how_characters_are_read_aloud_does_not_tear_a_word(read):
    base = "<text:ruby><text:ruby-base>{}</text:ruby-base>"
    over = base + "<text:ruby-text>x</text:ruby-text></text:ruby>"
    assert read(f"<text:p>{over.format('東')}{over.format('京')}</text:p>").text == "東京"
