"""What is left of an answer when its calls are taken out."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.call_shown import Shown, wider


def left(*parts):
    """`None` is a call."""
    shown, text = Shown(), ""
    for part in parts:
        shown.cut() if part is None else shown.add(part)
        text += shown.taken()
    shown.end()
    return text + shown.taken()


@given(st.lists(st.text(alphabet="a b\n\t", max_size=6)))
def test_text_without_calls_comes_out_as_it_is(parts):
    assert left(*parts) == "".join(parts)


def test_around_a_call_the_wider_space_stays():
    assert left("One.\n", None, "\n\nTwo.") == "One.\n\nTwo."
    assert left("One. ", None, "two") == "One. two"
    assert left("One.\n", None, " ", None, "\n\nTwo.") == "One.\n\nTwo."


def test_before_the_first_word_and_behind_the_last_there_is_none():
    assert left(None, "\n\nTwo.") == "Two."
    assert left("One.\n\n", None, "\n") == "One."
    assert left("\n", None) == ""


def test_lines_count_more_than_spaces():
    assert wider("\n", "      ") == "\n" and wider(" ", "  ") == "  "
