import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.search.folding import composed, fold, fold_with_places, short_words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße ÉCOLE", "strasse ecole"),
        ("Ａ１ ﬁn", "a1 fin"),
        ("Ёлка Άλφα", "елка αλφα"),
        ("が ガ", "が ガ"),
        ("tab\tline\n", "tab line "),
    ],
)
def test_case_accents_and_widths_make_no_difference(text, folded):
    assert fold(composed(text)) == folded


@given(st.text())
def test_every_place_leads_back_into_the_text(text):
    text = composed(text)
    folded, places = fold_with_places(text)
    assert len(places) == len(folded) + 1
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
    assert fold(text) in (folded, text.lower())


def test_short_words_are_those_no_three_neighbours_find():
    assert short_words("go to c# and c++ or r") == {"go", "to", "c#", "or", "r"}
    assert {"笔记", "记本", "本"} <= short_words("笔记本")
    assert short_words("longer words only") == set()
