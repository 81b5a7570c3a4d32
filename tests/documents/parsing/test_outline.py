from webapp.documents.document import Document, Place
from webapp.documents.parsing.outline import Entry, with_sections

BOOK = Document(
    "Contents\nOne\nText of  One\nTwo\n  words\nThree",
    (Place(0, 12, "page", "i", 1), Place(13, 43, "page", "1", 2)),
)


def sections(*entries):
    found = with_sections(BOOK, [Entry(*entry) for entry in entries])
    return [(p.label, p.number, p.start, p.end) for p in found.places if p.kind == "heading"]


def test_a_section_starts_at_its_title_and_ends_at_the_next():
    assert sections(("two words", 2, 1), ("Three", 2, 2)) == [
        ("two words", 1, 26, 38),
        ("Three", 2, 38, 43),
    ]


def test_a_title_that_is_not_on_its_page_starts_at_the_top():
    assert sections(("Somewhere", 2, 1)) == [("Somewhere", 1, 13, 43)]


def test_entries_that_lead_nowhere_are_left_out_and_the_order_is_that_of_the_text():
    assert sections(("Three", 2, 1), ("Two", 2, 1), ("Lost", 9, 1), (" ", 2, 1)) == [
        ("Two", 1, 26, 38),
        ("Three", 1, 38, 43),
    ]


def test_a_document_without_an_outline_stays_as_it_is():
    assert with_sections(BOOK, []) == BOOK
