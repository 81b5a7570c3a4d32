import pytest

from tests.documents.parsing.made import CASES, SAMPLES, pdf, picture_page, said
from tests.documents.parsing.parser_contract import ParserContract, ending
from webapp.documents.document import describe
from webapp.documents.parsing.choosing import chosen, parse
from webapp.documents.parsing.limits import Limits
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.pdf import PdfParser
from webapp.errors import Unreadable

LONG = "The lamp keeper climbed all the steps."


class TestPdf(ParserContract):
    parser = PdfParser
    expected = ("The first flight was very efficient.",)

    @pytest.fixture
    def sample(self):
        return CASES / "ligature.pdf", "ligature.pdf"


@pytest.fixture
def read(tmp_path, ocr_of_the_machine):
    ocr_of_the_machine(None)
    return lambda *args, **more: parse(Source(pdf(tmp_path / "0", *args, **more), "x.pdf"))


def refusal_of(read, *args):
    with pytest.raises(Unreadable) as refused:
        read(*args)
    return refused.value


def test_pages_have_the_labels_that_are_printed_on_them(read):
    labels = "0 << /S /r >> 2 << /S /D >>"
    document = read([said(f"{LONG} {n}") for n in range(4)], labels=labels)
    assert [(p.label, p.number) for p in document.places] == [
        ("i", 1),
        ("ii", 2),
        ("1", 3),
        ("2", 4),
    ]
    assert describe(document.within(0, len(document.text))) == "pp. i–2"
    assert dict(document.details)["pages"] == "4"


def test_pages_without_labels_are_counted(read):
    assert [p.label for p in read([said(LONG)] * 3).places] == ["1", "2", "3"]


def test_the_outline_gives_the_sections(read):
    document = read(
        [said("Before", LONG, "Start", LONG), said(LONG, "End", LONG)],
        outline=[("Start", 0), ("End", 1)],
    )
    sections = [p for p in document.places if p.kind == "heading"]
    assert [document.text[p.start : p.end].split("\n")[0] for p in sections] == ["Start", "End"]


def test_a_short_text_without_pictures_is_a_text(read):
    assert read([said("Hi")]).text == "Hi"


def test_a_scan_says_that_it_is_one_and_how_to_get_it_read(read):
    error = refusal_of(read, [picture_page(), picture_page() + said("p. 2")])
    assert error.code == "no_text"
    assert "scan" in error.what and "tesseract" in error.do


def test_pages_without_anything_have_no_text(read):
    assert refusal_of(read, [""] * 3).code == "no_text"


def test_pages_that_are_pictures_between_pages_of_text_are_said(read):
    document = read([said(LONG), picture_page(), said(LONG)])
    assert document.notes[0].startswith("1 of 3 pages have no text")
    assert [p.label for p in document.places] == ["1", "3"]


def test_pages_of_pictures_are_read_by_the_ocr_of_the_machine(tmp_path, ocr_of_the_machine):
    ocr_of_the_machine("forty words that stood on the picture")
    heard = []
    source = Source(
        pdf(tmp_path / "0", [said(LONG), picture_page(), picture_page()]),
        "x.pdf",
        Limits(pages_to_ocr=1),
        reading_pictures=lambda done, total: heard.append((done, total)),
    )
    document = parse(source)
    assert "forty words" in document.text
    assert document.notes[0] == "1 of 3 pages were read by OCR: words may be wrong."
    assert document.notes[1].startswith("1 of 3 pages have no text")
    assert heard == [(0, 1)]


def test_a_scan_that_ocr_cannot_read_is_still_refused(tmp_path, ocr_of_the_machine):
    ocr_of_the_machine(" ")
    assert ending(pdf(tmp_path / "0", [picture_page()]), "x.pdf")["code"] == "no_text"


def test_more_pages_than_may_be_are_refused_before_they_are_read(tmp_path):
    path = pdf(tmp_path / "0", [""] * 10_000)
    error = ending(path, "x.pdf")
    assert error["code"] == "too_large"
    assert "10,000 pages" in error["what"]


def test_progress_counts_pages(tmp_path):
    heard = []
    path = pdf(tmp_path / "0", [said(LONG)] * 3)
    parse(Source(path, "x.pdf", progress=lambda done, total: heard.append((done, total))))
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_one_page_that_cannot_be_read_costs_only_itself(tmp_path):
    path = pdf(tmp_path / "0", [said(LONG), said(LONG)])
    path.write_bytes(path.read_bytes().replace(b"/Kids [4 0 R 6 0 R]", b"/Kids [4 0 R 9 0 R]"))
    document = parse(Source(path, "x.pdf"))
    assert LONG in document.text
    assert document.notes == ("1 of 2 pages could not be read.",)


def test_a_pdf_is_known_behind_a_little_rubbish_but_a_text_about_it_is_none(tmp_path):
    path = pdf(tmp_path / "0", [said(LONG)])
    path.write_bytes(b"\n junk \n" + path.read_bytes())
    assert type(chosen(Source(path, "x.pdf"))) is PdfParser
    path.write_bytes(b"A file begins with %PDF-1.4 if it is one.")
    assert type(chosen(Source(path, "x.md"))) is not PdfParser


@pytest.mark.parametrize("name", ["not-a-pdf.pdf"])
def test_bytes_that_are_no_pdf_are_damaged(name):
    assert ending(SAMPLES / name, name)["code"] == "damaged"
