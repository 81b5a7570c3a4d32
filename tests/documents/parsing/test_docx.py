import pytest

from tests.documents.parsing.made import CASES, SAMPLES, W, docx, paragraph, rels
from tests.documents.parsing.parser_contract import ParserContract, ending
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.docx import DocxParser
from webapp.documents.parsing.parser import Source
from webapp.errors import Unreadable


class TestDocx(ParserContract):
    parser = DocxParser
    expected = ("Harbour report 2025", "Summary", "4,812 containers", "附录")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "report-tables.docx", "report.docx"


@pytest.fixture
def read(tmp_path):
    return lambda body, **more: parse(Source(docx(tmp_path / "0", body, **more), "x.docx"))


def headings(document):
    return [(p.label, p.number) for p in document.places if p.kind == "heading"]


def cell(*paragraphs):
    return f"<w:tc>{''.join(paragraphs)}</w:tc>"


def test_a_table_between_paragraphs_keeps_its_place_and_its_cells_apart():
    text = parse(Source(CASES / "report-tables.docx", "r.docx")).text
    assert text == "Before the table.\nProduct | Revenue\nKettle | 1 280\n\nAfter the table."


def test_headings_are_known_by_their_style_in_any_language(read):
    styles = (
        '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>'
        '<w:style w:styleId="Out"><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
        '<w:style w:styleId="Ring"><w:name w:val="R"/><w:basedOn w:val="Ring"/></w:style>'
    )
    body = "".join(paragraph(f"in {s}", s) for s in ("berschrift1", "Mine", "Out", "Ring", "None"))
    assert headings(read(body, styles=styles)) == [
        ("in berschrift1", 1),
        ("in Mine", 1),
        ("in Out", 3),
    ]


def test_a_text_box_is_said_once(read):
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>before</w:t><mc:AlternateContent><mc:Choice><w:drawing>"
        f"{box}</w:drawing></mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        "<w:t> after</w:t></w:r></w:p>"
    )
    assert read(body).text == "before after\n\nboxed"


def test_what_was_deleted_is_gone_and_what_was_put_in_is_there(read):
    body = (
        "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r></w:ins>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:instrText>PAGE</w:instrText><w:t>co</w:t><w:noBreakHyphen/><w:t>op</w:t></w:r></w:p>"
    )
    assert read(body).text == "new\tx\nyco-op"


def test_content_controls_links_and_nested_tables_are_read(read):
    inner = f"<w:tbl><w:tr>{cell(paragraph('i'))}{cell(paragraph('j'))}</w:tr></w:tbl>"
    body = (
        f"<w:sdt><w:sdtContent>{paragraph('controlled')}</w:sdtContent></w:sdt>"
        "<w:p><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>"
        f"<w:tbl><w:tr>{cell(paragraph('a'), paragraph('b'))}{cell(inner)}</w:tr></w:tbl>"
        f"<w:tbl><w:tr>{cell(paragraph('frame'), paragraph('text'))}</w:tr></w:tbl>"
    )
    assert read(body).text == "controlled\n\nlink\na b | i j\n\nframe\n\ntext"


def test_notes_come_at_the_end_without_their_separators(read):
    notes = (
        f'<w:footnotes {W}><w:footnote w:type="separator">{paragraph("---")}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph("See page 4.")}</w:footnote></w:footnotes>'
    )
    assert read(paragraph("Text."), **{"word/footnotes.xml": notes}).text == "Text.\n\nSee page 4."


def test_strict_files_and_other_places_of_the_main_part_are_read(tmp_path):
    path = docx(tmp_path / "0", paragraph("words"), main="content/main.xml")
    assert parse(Source(path, "x.bin")).text == "words"


def test_a_document_of_pictures_only_has_no_text(read):
    with pytest.raises(Unreadable) as refused:
        read("<w:p><w:r><w:drawing/></w:r></w:p>")
    assert refused.value.code == "no_text"


def test_locked_and_blown_up_documents_are_refused():
    assert ending(SAMPLES / "tika-password.docx", "x.docx")["code"] == "password"
    assert ending(CASES / "bomb.docx", "x.docx")["code"] == "archive_bomb"


def test_entities_cannot_blow_a_document_up(tmp_path):
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
    prefix = f"<!DOCTYPE x [{lines}]>"
    path = docx(tmp_path / "0", paragraph("&l9;"), prefix=prefix)
    assert ending(path, "x.docx")["code"] == "archive_bomb"


def test_a_main_part_that_is_missing_or_no_xml_is_damaged(tmp_path):
    path = docx(tmp_path / "0", "<w:p>")
    assert ending(path, "x.docx")["code"] == "damaged"


def test_tables_of_other_tests_are_read():
    text = parse(Source(SAMPLES / "docling-word_tables.docx", "x.docx")).text
    assert "Header 0.0 | Header 0.1 | Header 0.2" in text


def test_a_row_that_was_deleted_is_gone_and_a_deleted_end_joins_two_paragraphs(read):
    row = f"<w:trPr><w:del/></w:trPr>{cell(paragraph('left'))}{cell(paragraph('over'))}"
    end = "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>{} </w:t></w:r></w:p>"
    body = f"{end.format('One')}{paragraph('more')}<w:tbl><w:tr>{row}</w:tr></w:tbl>"
    assert read(body + end.format("Last")).text == "One more\n\nLast "


def test_what_stands_above_and_below_the_pages_is_read_once(read):
    head = f"<w:hdr {W}>{paragraph('Contract 4711')}{paragraph('')}</w:hdr>"
    links = rels(a=("header", "a.xml"), b=("footer", "b.xml"))
    more = {"word/_rels/document.xml.rels": links, "word/a.xml": head, "word/b.xml": head}
    assert read(paragraph("Body"), **more).text == "Body\n\nContract 4711"
