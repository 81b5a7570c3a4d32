import pytest

from tests.documents.parsing.made import SAMPLES, epub
from tests.documents.parsing.parser_contract import ParserContract, ending
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.epub import EpubParser
from webapp.documents.parsing.parser import Source


class TestEpub(ParserContract):
    parser = EpubParser
    expected = ("First chapter", "rock called Skerry", "Second chapter")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "book.epub", "book.epub"


def page(words, title=""):
    return (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
        f"<title>{title}</title></head><body>{words}</body></html>"
    )


@pytest.fixture
def read(tmp_path):
    return lambda *args, **more: parse(Source(epub(tmp_path / "0", *args, **more), "b.epub"))


def test_chapters_come_in_the_order_of_the_spine_and_links_are_unquoted(read):
    document = read({"z%20z.xhtml#x": None, "a.xhtml": page("A")}, **{"OPS/z z.xhtml": page("Z")})
    assert document.text == "Z\n\nA"
    assert document.title == "Book"


def test_a_chapter_without_a_heading_is_called_by_its_title(read):
    document = read({"a": page("<p>words</p>", "Salt &amp; sea"), "b": page("<h2>Own</h2>x", "T")})
    headings = [(p.label, p.number) for p in document.places if p.kind == "heading"]
    assert headings == [("Salt & sea", 1), ("Own", 2)]


def test_a_chapter_that_is_missing_is_said(read):
    document = read({"a": page("words"), "gone": None})
    assert document.notes == ("1 of 2 chapters are missing in the file.",)


def locked(name):
    return f'<e xmlns="u"><CipherReference URI="{name}"/></e>'


def test_a_book_locked_by_a_shop_is_refused_but_fonts_may_be(tmp_path):
    key = "META-INF/encryption.xml"
    path = epub(tmp_path / "0", {"a.xhtml": page("x")}, **{key: locked("OPS/a.xhtml")})
    assert ending(path, "b.epub")["code"] == "password"
    path = epub(tmp_path / "1", {"a.xhtml": page("x")}, **{key: locked("OPS/font.otf")})
    assert ending(path, "b.epub")["kind"] == "end"


def test_progress_counts_chapters(tmp_path):
    heard = []
    path = epub(tmp_path / "0", {"a": page("x"), "b": page("y")})
    parse(Source(path, "b.epub", progress=lambda done, total: heard.append((done, total))))
    assert heard == [(1, 2), (2, 2)]
