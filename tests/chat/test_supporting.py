"""The sentence of a passage that has the most in common with one of an answer."""

import pytest

from webapp.chat.supporting import supporting_span

PASSAGE = "The house is old. The notice period of the contract is 90 days. It has a garden."


def supporting(sentence, passage):
    start, end = supporting_span(sentence, passage)
    return passage[start:end]


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("Your contract has a notice period of 90 days.", PASSAGE[18:63]),
        ("There is a garden.", "It has a garden."),
        ("Nothing alike?", PASSAGE),
        ("", PASSAGE),
    ],
)
def test_it_is_the_sentence_with_the_most_words_in_common(sentence, part):
    assert supporting(sentence, PASSAGE) == part


def test_chinese_is_compared_by_characters():
    passage = "房子很旧而且很大。合同的通知期为九十天。有一个大花园。"
    assert supporting("通知期是九十天", passage) == "合同的通知期为九十天。"


def test_a_passage_without_sentences_is_all_of_it():
    assert supporting_span("a", "") == (0, 0)
    assert supporting_span("words", "words") == (0, 5)
