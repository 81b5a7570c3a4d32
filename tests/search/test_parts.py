from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from webapp.search.parts import LONGEST, MOST, parts, says_something


def texts(text):
    return [text[start:stop] for start, stop in parts(text)]


def test_a_short_message_is_one_part():
    assert texts("My dog is called Bello. He is two.") == ["My dog is called Bello. He is two."]


def test_what_says_too_little_has_none():
    assert parts("Thanks!") == parts("12 + 30") == parts("") == parts(" \n ") == []
    assert says_something("谢谢你的帮助") and not says_something("谢谢")


def test_a_long_one_is_cut_after_sentences_and_lines():
    text = "This sentence is about forty characters. " * 40
    found = texts(text)
    assert len(found) == 3 and all(each.endswith(". ") for each in found)
    assert all(len(each) <= LONGEST for each in found) and "".join(found) == text
    assert texts(f"{'a b ' * 120}\n{'c d ' * 120}")[0] == f"{'a b ' * 120}\n"


def test_chinese_is_cut_after_its_sentences():
    assert all(each.endswith("。") for each in texts("今天天气很好，我们去海边。" * 100))


def test_of_a_very_long_one_the_beginning_is_read():
    assert len(parts("word " * 10_000)) == MOST == len(parts("x" * 50_000))


@given(st.text(alphabet="ab. \n。漢é", max_size=3000))
def test_parts_follow_each_other_and_fit(text):
    found = parts(text)
    assert all(0 < stop - start <= LONGEST for start, stop in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
