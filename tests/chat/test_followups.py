"""What is searched for, when a question leans on an earlier one and when it does not."""

import pytest

from webapp.chat.followups import LONGEST_SEARCHED, is_reworded, leans, searched

LEASE = "How long is the notice period of the lease?"


SHORT = ("and the fee?", "Why?", "Who signs it?", "What about theft?", "Is that per month or year?")
SHORT_ELSEWHERE = ("那费用呢？", "它什么时候到期？", "为什么？", "Und die Gebühr?", "Et le dépôt ?")
WHOLE = (
    LEASE,
    "Which command lists installed packages?",
    "Is Knoppix meant to be run from a live CD?",
    "软件包名称和版本号之间用什么字符分隔？",
    "Wie lange ist die Kündigungsfrist im Vertrag?",
)


@pytest.mark.parametrize("question", [*SHORT, *SHORT_ELSEWHERE])
def test_a_short_or_pointing_question_leans_on_what_was_said(question):
    assert leans(question)


@pytest.mark.parametrize("question", WHOLE)
def test_a_whole_question_stands_by_itself(question):
    assert not leans(question)
    assert searched(question, ["Something else?"], "other words") == question


def test_the_first_question_is_searched_as_it_is_even_when_it_leans():
    assert searched("and the fee?", []) == "and the fee?"
    assert not is_reworded("and the fee?", [])


def test_a_rewording_that_adds_what_was_left_out_is_searched():
    assert searched("and the fee?", [LEASE], "fee of the lease") == "fee of the lease"


@pytest.mark.parametrize("reworded", ["", "the fee", "What is the fee?", "fee"])
def test_a_rewording_that_adds_nothing_gives_way_to_the_question_before(reworded):
    assert searched("and the fee?", [LEASE], reworded) == f"{LEASE}\nand the fee?"


def test_a_chain_of_short_questions_leans_on_the_one_that_stands():
    assert searched("Why?", [LEASE, "and the fee?"]) == f"{LEASE}\nWhy?"
    assert searched("Why?", ["And?", "and the fee?"]) == "and the fee?\nWhy?"


def test_of_a_long_question_the_models_words_are_searched():
    pasted = "Here is my draft of the letter. " * 20
    assert len(pasted) > LONGEST_SEARCHED and is_reworded(pasted, [])
    assert searched(pasted, [], "letter to a landlord") == "letter to a landlord"
    assert searched(pasted, []) == pasted


def test_chinese_rewordings_are_compared_by_characters():
    earlier = ["租约的通知期是多久？"]
    assert searched("那费用呢？", earlier, "租约的费用") == "租约的费用"
    assert searched("那费用呢？", earlier, "费用呢") == f"{earlier[0]}\n那费用呢？"
