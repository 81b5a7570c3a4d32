import pytest

from webapp.search.question import LONGEST_QUESTION, MOST_TERMS, question_from


def test_words_and_phrases_become_terms():
    assert question_from('Tide "Harbour  wall" c#').terms == ("tide", "harbour wall", "c#")
    assert question_from("“stand together” «ja»").terms == ("stand together", "ja")
    assert question_from("a a A").terms == ("a",)


@pytest.mark.parametrize("typed", ["", '"', '""', "“”", " \0 ", "-", "()"])
def test_what_has_no_word_asks_nothing(typed):
    question = question_from(typed)
    assert question.match_long == question.match_short == ""
    assert question.pattern is None


def test_a_question_is_as_long_as_can_be_answered():
    assert len(question_from("word " * 500).terms) == 1
    many = question_from(" ".join(f"word{n}" for n in range(100)))
    assert len(many.terms) == MOST_TERMS
    assert len(question_from("x" * 10_000).terms[0]) == LONGEST_QUESTION


@pytest.mark.parametrize("typed", ['a"b', "NEAR(", "x*", "-tide", "AND OR NOT", "words:tide"])
def test_words_of_the_query_language_are_words(typed):
    assert question_from(typed).match_long.count('"') % 2 == 0


def test_a_short_word_stands_alone_and_dense_writing_does_not():
    pattern = question_from("go").pattern
    assert pattern.search("let us go now")
    assert not pattern.search("mango")
    assert question_from("笔记").pattern.search("一本笔记本")
