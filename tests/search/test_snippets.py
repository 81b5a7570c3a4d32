from hypothesis import given
from hypothesis import strategies as st

from webapp.search.question import question_from
from webapp.search.snippets import Piece, snippet


def words(pieces):
    return "".join(piece.text for piece in pieces)


def marked(pieces):
    return [piece.text for piece in pieces if piece.marked]


def test_what_was_looked_for_is_marked_as_it_stands():
    found = snippet("The École is closed.\nThe ecole!", question_from("ecole"))
    assert marked(found) == ["École", "ecole"]
    assert words(found) == "The École is closed. The ecole!"


def test_of_a_long_text_the_part_where_most_of_it_stands_is_shown():
    text = "tide " + "x " * 400 + "the tide met the harbour here " + "y " * 400
    found = snippet(text, question_from("tide harbour"), 120)
    assert marked(found) == ["tide", "harbour"]
    assert found[0] == found[-1] == Piece("…")
    assert len(words(found)) < 160


def test_without_a_hit_its_beginning_is_shown():
    assert words(snippet("a " * 500, question_from("zzz"), 40)).startswith("a a")


@given(st.text(), st.text(max_size=20))
def test_any_text_and_question_give_pieces_of_the_text(text, typed):
    found = snippet(text, question_from(typed))
    assert len(words(found)) <= 300
    assert all(piece.text for piece in found)
