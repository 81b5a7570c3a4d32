import pytest

from webapp.documents.parsing.writer import Writer, cells_line
from webapp.errors import Unreadable


@pytest.fixture
def writer():
    return Writer(1000)


def shown(document):
    return [(p.kind, p.label, document.text[p.start : p.end]) for p in document.places]


def test_places_hold_what_was_written_in_them_and_empty_ones_are_dropped(writer):
    writer.begin("page", "i", 1)
    writer.paragraph("One")
    writer.begin("page", "ii", 2)
    writer.begin("page", "iii", 3)
    writer.paragraph(" \n ")
    writer.line("Three")
    document = writer.document("  A\nbook ")
    assert document.text == "One\nThree"
    assert document.title == "A book"
    assert shown(document) == [("page", "i", "One"), ("page", "iii", "Three")]


def test_a_section_lasts_until_the_next_heading(writer):
    writer.heading("First", 1)
    writer.paragraph("words")
    writer.heading("Second", 2)
    writer.heading(" ", 1)
    assert shown(writer.document()) == [
        ("heading", "First", "First\n\nwords"),
        ("heading", "Second", "Second"),
    ]


def test_rows_keep_their_numbers_over_a_gap(writer):
    writer.begin("sheet", "Orders", 1)
    for number, cells in [(2, ["a", "b"]), (3, ["c\nd", ""]), (4, ["", ""]), (9, ["e"])]:
        writer.row(number, cells)
    document = writer.document()
    assert document.text == "a | b\nc d\ne"
    assert [(p.kind, p.number) for p in document.places] == [
        ("sheet", 1),
        ("rows", 2),
        ("rows", 9),
    ]


def test_lines_stay_where_a_reader_counts_them(writer):
    writer.whole_lines("\ufeffa\r\n\r\n\r\n\r\n\r\nb\n\n")
    document = writer.document()
    assert document.text == "a\n\n\n\n\nb"
    assert [(p.kind, p.start, p.end, p.number) for p in document.places] == [("lines", 0, 7, 1)]


def test_a_document_without_words_is_refused(writer):
    writer.whole_lines(" \u200b\n")
    with pytest.raises(Unreadable) as refused:
        writer.document()
    assert refused.value.code == "no_text"


def test_more_text_than_may_be_is_refused_at_once():
    writer = Writer(5)
    writer.line("12345")
    with pytest.raises(Unreadable) as refused:
        writer.line("6")
    assert refused.value.code == "too_large"


def test_a_row_is_one_line_without_its_empty_end():
    assert cells_line(["", "a\r\nb", " ", "c", "", ""]) == " | a b |  | c"
    assert cells_line(["", " "]) == ""
