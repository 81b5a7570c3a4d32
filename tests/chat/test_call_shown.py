"""White space around calls goes with them; a text without calls is not touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.call_shown import Shown, wider

CUT = None


def shown(*pieces):
    text = Shown()
    out = []
    for piece in pieces:
        text.cut() if piece is CUT else text.add(piece)
        out.append(text.taken())
    text.end()
    return "".join(out) + text.taken()


@given(st.lists(st.text(" \na", max_size=4)))
def test_a_text_without_calls_comes_out_as_it_is(pieces):
    assert shown(*pieces) == "".join(pieces)


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (("a\n", CUT, "\n"), "a"),
        (("\n", CUT, "\nb "), "b "),
        (("a \n", CUT, "\n\n", "b"), "a\n\nb"),
        (("a\n\n", CUT, " ", CUT, "\nb"), "a\n\nb"),
        (("a", CUT, "b"), "ab"),
        ((CUT,), ""),
    ],
)
def test_around_a_call_the_wider_space_stays(pieces, text):
    assert shown(*pieces) == text


def test_white_space_waits_for_a_word():
    text = Shown()
    text.add("a \n")
    assert text.taken() == "a"
    text.add(" b")
    assert text.taken() == " \n b"


def test_line_breaks_set_words_further_apart_than_blanks():
    assert wider("   ", "\n") == "\n"
    assert wider("\n", "\n ") == "\n "
