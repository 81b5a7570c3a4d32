"""What is shown of a hit."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.search.question import question_from
from webapp.search.snippets import snippet


def test_what_was_looked_for_is_marked_where_it_stands_together():
    text = "rent " + "x " * 400 + "The Rent is two months ahead. " + "y " * 400
    pieces = snippet(text, question_from("rent months"))
    assert [piece.text for piece in pieces if piece.marked] == ["Rent", "months"]
    assert pieces[0].text == pieces[-1].text == "…"


def test_a_text_without_the_terms_shows_its_beginning():
    assert snippet("Hello there", question_from("nothing"))[0].text == "Hello there"


@given(st.text(), st.text(max_size=20))
def test_a_snippet_of_anything_is_short(text, typed):
    assert sum(len(piece.text) for piece in snippet(text, question_from(typed))) < 400
