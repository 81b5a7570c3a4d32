import pytest

from tests.documents.parsing.made import SAMPLES
from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.parsing.choosing import chosen, parse
from webapp.documents.parsing.html_text import HtmlParser
from webapp.documents.parsing.parser import Source


class TestHtml(ParserContract):
    parser = HtmlParser
    expected = (
        "Tea brewing",
        "75 °C for two minutes",
        "Tea | Minutes",
        "Green | 2",
        "code  stays\n  as is",
    )

    @pytest.fixture
    def sample(self):
        return SAMPLES / "tea.html", "tea.html"


@pytest.fixture
def read(tmp_path):
    def of(page, name="x.html"):
        path = tmp_path / "0"
        path.write_bytes(page if isinstance(page, bytes) else page.encode())
        return parse(Source(path, name))

    return of


def test_what_no_reader_sees_is_left_out():
    document = parse(Source(SAMPLES / "tea.html", "tea.html"))
    for words in ("not text", "color:red", "hidden words"):
        assert words not in document.text
    assert document.title == "Tea brewing"
    headings = [(p.label, p.number) for p in document.places if p.kind == "heading"]
    assert headings == [("Tea brewing", 1), ("Table of times", 2)]


def test_styles_that_hide_count_too(read):
    page = '<p>seen<span style="color:red; display: NONE">no</span> too</p><!-- no --><p hidden>no'
    assert read(page).text == "seen too"


def test_blocks_are_paragraphs_and_list_items_lines(read):
    page = "<div>a<div>b</div>c</div><ul><li>one<li>two <b>bold</b></ul>x<br>y"
    assert read(page).text == "a\n\nb\n\nc\none\ntwo bold\n\nx\ny"


def test_tables_that_only_lay_out_a_page_are_no_rows(read):
    page = (
        "<table><tr><td><h1>News</h1><p>long text</p></td><td>"
        "<table><tr><td>k<td>v<tr><td>x<td><p>y</p><p>z</p></table></td></tr></table>"
    )
    assert read(page).text.split("\n") == ["News", "", "long text", "k | v", "x | y z"]


def test_a_declared_charset_is_believed_where_it_can_be(read):
    page = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>Őszi'
    assert read(page.encode("iso-8859-2")).text == "Őszi"


def test_elements_that_xhtml_closed_at_once_do_not_swallow_the_page(read):
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
        '<script src="x.js"/></head><body><a id="p1"/><p>words</p><br/>more</body></html>'
    )
    assert read(page).text == "words\n\nmore"


def test_html_is_known_without_its_ending_but_a_text_may_show_it(read, tmp_path):
    page = "  <!DOCTYPE html>\n<html><p>x</p></html>"
    assert read(page, "download").text == "x"
    assert read(page, "report.doc").text == "x"
    assert "<html>" in read(page, "example.txt").text
    assert type(chosen(Source(tmp_path / "0", "page.xls"))) is HtmlParser


def test_a_page_nested_ten_thousand_deep_is_read(read):
    assert read("<div>" * 10_000 + "deep").text == "deep"
    assert read("<b>" * 9_000 + "x" + "</b>" * 9_000 + "<p>after").text == "x\n\nafter"


def test_words_beside_a_fragment_without_any_element_are_read(read):
    assert read("just words & more").text == "just words & more"


def test_sections_that_xml_takes_verbatim_are_read(read):
    page = '<?xml version="1.0"?><html xmlns="x"><body><p><![CDATA[a < b]]> c</p></body></html>'
    assert read(page, "x.xhtml").text == "a < b c"
