"""Two rankings made one, and the same words not told twice."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.documents.passages import Passage
from webapp.documents.ranking import fused, without_repeats


def passage(id, file_id="f", start=0, end=10):
    return Passage(id, file_id, 0, "text", start, end)


A, B, C, D = (passage(id, start=100 * n, end=100 * n + 50) for n, id in enumerate("abcd"))


def test_a_passage_in_both_rankings_comes_before_those_in_one():
    assert fused([[A, B], [C, B]]) == [B, A, C]


def test_one_ranking_keeps_its_order_and_ties_go_to_the_first():
    assert fused([[C, A, B]]) == [C, A, B]
    assert fused([[A], [B]]) == [A, B]
    assert fused([]) == fused([[], []]) == []


@given(st.permutations([A, B, C, D]), st.permutations([A, B, C, D]))
def test_nothing_is_lost_or_doubled_and_who_is_better_in_both_is_better(one, two):
    found = fused([one, two])
    assert sorted(p.id for p in found) == list("abcd")
    for first in one:
        for second in one:
            if one.index(first) < one.index(second) and two.index(first) < two.index(second):
                assert found.index(first) < found.index(second)


def test_what_shares_most_of_its_text_with_a_better_one_is_left_out():
    better = passage("a", start=0, end=100)
    most, little = passage("b", start=40, end=140), passage("c", start=90, end=190)
    elsewhere = passage("d", "other", start=0, end=100)
    assert without_repeats([better, most, little, elsewhere]) == [better, little, elsewhere]
