"""Marks that stand in a text while it is laid out."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.web.inline_marks import ONE, is_mark, mark, read_mark, with_marks, without_marks


def test_a_mark_says_what_it_is_and_which():
    for kind in ("support", "begin", "end", "quote"):
        for number in (0, 7, 123):
            characters = mark(kind, number)
            assert all(map(is_mark, characters))
            assert read_mark(ONE.fullmatch(characters)) == (kind, number)
    assert read_mark(ONE.fullmatch(mark("end", 1)[0])) == ("end", -1)


@given(st.text(alphabet="ab *\n", max_size=20), st.lists(st.integers(-2, 25), max_size=6))
def test_without_them_the_text_is_what_it_was(text, places):
    marked = with_marks(text, [(place, mark("support", n)) for n, place in enumerate(places)])
    assert without_marks(marked) == text
    inside = [place for place in places if 0 <= place <= len(text)]
    assert len(ONE.findall(marked)) == len(inside)


def test_those_at_one_place_keep_their_order():
    first, second = mark("quote", 0), mark("support", 0)
    assert with_marks("ab", [(2, first), (2, second)]) == f"ab{first}{second}"
