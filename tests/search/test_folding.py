"""Text as it is compared."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.search.folding import composed, fold, fold_with_places, short_words


def test_case_accents_and_width_make_no_difference_and_kana_keep_their_marks():
    assert fold(composed("ÉCLAIR e\u0301 STRASSE ß Ａｂ ПРИВЕТ")) == "eclair e strasse ss ab привет"
    assert fold(composed("か\u3099")) == "が"


def test_short_words_are_words_of_two_and_neighbours_in_dense_writing():
    assert {"ai", "c#", "ok", "🎉"} <= short_words("ai in c#: ok 🎉 longer")
    assert {"北京", "京大", "大"} <= short_words("去北京大")
    assert "lo" not in short_words("longer")


@given(st.text())
def test_every_folded_character_leads_back_to_the_one_it_comes_from(text):
    folded, places = fold_with_places(text)
    assert fold(text) == folded or text.isascii()
    assert len(places) == len(folded) + 1
    assert places == sorted(places)
    assert all(place <= len(text) for place in places)
