"""What was typed, as terms."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.search.question import MOST_TERMS, question_from


def test_words_and_phrases_are_terms_each_once():
    assert question_from('Rent "two  Months" rent').terms == ("rent", "two months")


def test_what_is_short_is_looked_for_as_a_word_or_as_two_characters():
    question = question_from("ai 北京 rent")
    assert question.long_terms == ("rent",)
    assert len(question.match_short.split(" AND ")) >= 2


def test_nothing_to_find_is_no_term():
    assert question_from('  "" , ').terms == ()
    assert question_from("").pattern is None


@given(st.text(max_size=500))
def test_anything_typed_is_a_question_of_few_terms(text):
    assert len(question_from(text).terms) <= MOST_TERMS
