"""The sentence of a passage that has the most in common with one of an answer."""

import pytest

from webapp.chat.supporting import PassageWords, supporting_span

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


LEASE = "The rooms are let. The notice period of this lease is ninety days, in writing. Sign here."


@pytest.mark.parametrize(
    ("sentence", "share"),
    [
        ("The notice period of the lease is ninety days.", 1.0),
        ("The notice period of this lease is ninety days, in writing.", 1.0),
        ("The notice period of the lease is sixty days.", 0),
        ("The notice term of the lease is ninety days.", 7 / 8),
        ("The notice period of the lease is 90 days.", 7 / 8),
        ("The notice period of the lease is not ninety days.", 0),
        ("The tenants of the house water the garden.", 0),
        ("Ninety days.", 0),
    ],
)
def test_nearly_the_same_words_are_counted_where_numbers_and_negations_agree(sentence, share):
    assert PassageWords(LEASE).share(sentence) == share


def test_chinese_characters_are_words():
    words = PassageWords("房子很旧。合同的通知期为九十天。")
    assert words.share("合同的通知期为九十天。") == 1
    assert words.share("合同的通知期不为九十天。") == 0
