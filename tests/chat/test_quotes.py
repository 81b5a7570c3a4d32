"""Words between quotation marks, and whether they stand in a passage."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.quotes import found_in, quotes


def words(text):
    return [quote.text for quote in quotes(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('It says "the notice is 90 days" there.', ["the notice is 90 days"]),
        ("It says “the notice is 90 days”.", ["the notice is 90 days"]),
        ("Dort: „die Frist ist 90 Tage“.", ["die Frist ist 90 Tage"]),
        ("« la durée est longue » dit-il", [" la durée est longue "]),
        ("他说「通知期为九十天」。", ["通知期为九十天"]),
        ("> The notice is\n> 90 days.\n\nYes.", ["The notice is\n90 days."]),
        ('> It is "the notice of days" so.', ['It is "the notice of days" so.']),
        ('The "big" word and "two words".', []),
        ('`print("one two three")` is code', []),
        ('```\n"one two three"\n```', []),
        ('never "closed at all', []),
    ],
)
def test_quotes_of_some_length_are_found_outside_code(text, found):
    assert words(text) == found


@given(st.text(alphabet='ab "“”„«»「」>\n`*$字', max_size=80))
def test_places_are_places_in_the_text(text):
    for quote in quotes(text):
        assert 0 <= quote.start < quote.end <= len(text)
        if not text[quote.start : quote.end].lstrip().startswith(">"):
            assert text[quote.start : quote.end] == quote.text


def first(text):
    return quotes(text)[0]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("the notice period is 90 days", 1),
        ("The notice  period\nis 90 days.", 1),
        ("the *notice* period … 90 days", 1),
        ("the notice period [...] 90 days", 1),
        ("90 days … the notice period", None),
        ("the notice period is 80 days", None),
        ("nothing to be found", None),
    ],
)
def test_a_quote_is_looked_up_word_for_word(quote, found):
    passages = ["Another thing.", "So the notice\nperiod is 90 days, it “says”."]
    assert found_in(first(f"It says “{quote}” there."), passages) == found


@pytest.mark.parametrize("sign", list('"“„«「>'))
def test_many_marks_are_read_in_no_time(sign):
    start = process_time()
    quotes(sign * 20_000)
    quotes(f"{sign} a" * 10_000)
    assert process_time() - start < 3
