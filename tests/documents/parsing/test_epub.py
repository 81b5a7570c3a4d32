import pytest

from tests.documents.parsing.made import SAMPLES, epub, zipped
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
    assert document.notes == ("1 of 2 chapters are missing or damaged.",)


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


LINES = '<manifest><item id="a" href="a.xhtml" media-type="text/html"/></manifest>'


@pytest.mark.parametrize(
    "more",
    [
        {"OPS/book.opf": f"<package>{LINES}<spine/></package>"},
        {"OPS/book.opf": f"<package>{LINES}</package>"},
        {"OPS/book.opf": "<package><broken"},
        {"META-INF/container.xml": "<container><rootfile full-path='gone.opf'/></container>"},
        {"META-INF/container.xml": "<container"},
        {"OPS/book.opf": f"<package>{LINES.replace('a.xhtml', 'A.XHTML')}</package>"},
        {"OPS/book.opf": f"<package>{LINES.replace('a.x', '..%5COPS%5Ca.x')}</package>"},
    ],
)
def test_a_book_with_odd_lists_is_read_all_the_same(read, more):
    assert read({"a.xhtml": page("the words")}, **more).text == "the words"


def test_a_book_without_a_container_is_known_by_its_type(tmp_path):
    parts = {"mimetype": "application/epub+zip", "b.opf": f"<package>{LINES}</package>"}
    path = zipped(tmp_path / "0", {**parts, "a.xhtml": page("the words")})
    assert parse(Source(path, "b.epub")).text == "the words"


def test_a_link_may_be_the_very_name_of_a_member(read):
    assert read({"a%20b.xhtml": page("the words")}).text == "the words"


def test_a_chapter_is_read_once_and_one_that_is_no_text_spoils_no_other(read):
    noise = bytes(range(256)) * 4
    document = read({"a": page("words"), "b": noise})
    assert document.text == "words"
    assert document.notes == ("1 of 2 chapters are missing or damaged.",)
    spine = "<itemref idref='a'/>" * 3
    twice = f"<package>{LINES}<spine>{spine}</spine></package>"
    assert read({"a.xhtml": page("words")}, **{"OPS/book.opf": twice}).text == "words"


def test_a_book_of_which_no_chapter_is_text_is_damaged(tmp_path):
    path = epub(tmp_path / "0", {"a": bytes(range(256)) * 4})
    assert ending(path, "b.epub")["code"] == "damaged"
