import pytest

from tests.documents.parsing.made import SAMPLES, pptx, shape
from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.document import describe
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.pptx import PptxParser


class TestPptx(ParserContract):
    parser = PptxParser
    expected = ("Q3 plan", "Hire two engineers", "Notes: Say that the budget", "Dates")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "plan.pptx", "plan.pptx"


@pytest.fixture
def read(tmp_path):
    return lambda *args, **more: parse(Source(pptx(tmp_path / "0", *args, **more), "x.pptx"))


def test_slides_come_in_the_order_they_are_shown(read):
    document = read([shape("first made"), shape("second made")], order=[2, 1])
    assert document.text == "second made\n\nfirst made"
    assert describe(document.within(0, 5)) == "slide 1"


def test_titles_are_sections_of_their_slide_only(read):
    document = read([shape("Plan", "title") + shape("words"), shape("untitled")])
    found = [(p.kind, document.text[p.start : p.end]) for p in document.places]
    assert found == [
        ("heading", "Plan\n\nwords"),
        ("slide", "Plan\n\nwords"),
        ("slide", "untitled"),
    ]


def test_tables_are_lines_and_groups_are_opened(read):
    cells = "".join(
        f"<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"
        for text in "ab"
    )
    table = f"<p:graphicFrame><a:graphic><a:tbl><a:tr>{cells}</a:tr></a:tbl></a:graphic>"
    group = f"</p:graphicFrame><p:grpSp>{shape('grouped')}</p:grpSp>"
    assert read([table + group]).text == "a | b\n\ngrouped"


def test_slide_numbers_and_fallbacks_are_left_out_and_unknown_shapes_do_no_harm(read):
    unknown = "<p:contentPart/><p:odd><p:thing/></p:odd>"
    choices = f"<mc:Choice>{shape('once')}</mc:Choice><mc:Fallback>{shape('once')}</mc:Fallback>"
    twice = f"<mc:AlternateContent>{choices}</mc:AlternateContent>"
    assert read([shape("7", "sldNum") + unknown + twice]).text == "once"


def test_the_speakers_notes_belong_to_the_slide(read):
    document = read([shape("words")], notes="say it slowly")
    assert document.text == "words\n\nNotes: say it slowly"


def test_slides_of_other_tests_are_read():
    text = parse(Source(SAMPLES / "docling-powerpoint_sample.pptx", "x.pptx")).text
    assert "Second slide title" in text and "A merged with B" in text
