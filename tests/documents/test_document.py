import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.documents.document import Document, Place, describe, from_json, to_json


@pytest.fixture
def book():
    text = "one\ntwo\nthree\nfour"
    return Document(
        text,
        (
            Place(0, 8, "page", "iv", 4),
            Place(0, 18, "lines", "", 10),
            Place(4, 18, "heading", "Numbers", 1),
            Place(8, 18, "page", "1", 5),
        ),
        title="Book",
        notes=("1 of 3 pages could not be read.",),
        details=(("format", "PDF"),),
    )


def test_a_span_knows_its_pages_sections_and_lines(book):
    found = book.within(4, 13)
    assert [(p.kind, p.label, p.start, p.end) for p in found] == [
        ("heading", "Numbers", 4, 13),
        ("lines", "11–12", 4, 13),
        ("page", "iv", 4, 8),
        ("page", "1", 8, 13),
    ]


def test_places_are_said_as_a_reader_would(book):
    assert describe(book.within(0, 3)) == "p. iv, line 10"
    assert describe(book.within(4, 18)) == "pp. iv–1, section Numbers, lines 11–13"
    assert describe(()) == ""


def test_rows_with_a_gap_are_counted_over_the_gap():
    table = Document(
        "a\nb\nc",
        (
            Place(0, 5, "columns", "Name"),
            Place(0, 5, "sheet", "Orders", 1),
            Place(0, 4, "rows", "", 2),
            Place(4, 5, "rows", "", 900),
        ),
    )
    assert describe(table.within(0, 5)) == "sheet Orders, rows 2–900"


def test_rows_of_two_sheets_are_not_counted_together():
    sheets = Document(
        "a\nb",
        (
            Place(0, 1, "sheet", "A", 1),
            Place(0, 1, "rows", "", 7),
            Place(2, 3, "sheet", "B", 2),
            Place(2, 3, "rows", "", 1),
        ),
    )
    assert describe(sheets.within(0, 3)) == "sheets A – B"


def test_a_line_end_belongs_to_the_line_it_ends(book):
    lines = [p.label for p in book.within(0, 4) if p.kind == "lines"]
    assert lines == ["10"]


def test_a_document_survives_json(book):
    assert from_json(json.loads(json.dumps(to_json(book)))) == book
    assert to_json(Document("")) == {
        "text": "",
        "places": (),
        "title": "",
        "notes": (),
        "details": (),
    }


@settings(deadline=None)
@given(st.text("ab\n", min_size=1, max_size=40), st.data())
def test_line_numbers_are_those_of_an_editor(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    (place,) = Document(text, (Place(0, len(text), "lines", "", 1),)).within(start, end)
    first, last = text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1
    assert place.label == (str(first) if first == last else f"{first}–{last}")
    assert (place.start, place.end, place.number) == (start, end, first)
