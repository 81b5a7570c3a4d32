"""What changed between two versions: both texts can be read off it, at any size."""

from itertools import pairwise
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.word_diff import Run, word_diff

ALPHABET = st.sampled_from(
    ["the", "fish", "market", " ", " ", "\n", "\n\n", ".", "漢", "字", "é", "\u0301"]
)
TEXTS = st.one_of(st.text(max_size=40), st.lists(ALPHABET, max_size=30).map("".join))


def sides(runs):
    old = "".join(run.text for run in runs if run.kind != "added")
    new = "".join(run.text for run in runs if run.kind != "removed")
    return old, new


def told(before, after):
    return [(run.kind, run.text) for run in word_diff(before, after)]


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_off_the_result(before, after):
    assert sides(word_diff(before, after)) == (before, after)


@given(TEXTS, TEXTS, st.integers(0, 30))
def test_also_when_the_steps_run_out(before, after, steps):
    assert sides(word_diff(before, after, steps=steps)) == (before, after)


@given(TEXTS, TEXTS)
def test_no_run_is_empty_and_neighbours_differ_in_kind(before, after):
    runs = word_diff(before, after)
    assert all(run.text for run in runs)
    kinds = [run.kind for run in runs]
    assert all(one != next_one for one, next_one in pairwise(kinds))
    assert ("added", "removed") not in pairwise(kinds)


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text):
    assert word_diff(text, text) == ((Run("same", text),) if text else ())


def test_whole_words_change_and_not_letters():
    assert told("the old harbour", "the new harbour") == [
        ("same", "the "),
        ("removed", "old"),
        ("added", "new"),
        ("same", " harbour"),
    ]


def test_chinese_and_japanese_change_by_character():
    assert told("我喜欢茶", "我喜欢咖啡") == [
        ("same", "我喜欢"),
        ("removed", "茶"),
        ("added", "咖啡"),
    ]


def test_a_lone_space_between_two_changes_is_no_island():
    assert told("a red fish swims", "a blue bird swims") == [
        ("same", "a "),
        ("removed", "red fish"),
        ("added", "blue bird"),
        ("same", " swims"),
    ]


def test_an_insertion_removes_nothing():
    assert told("one three", "one two three") == [
        ("same", "one "),
        ("added", "two "),
        ("same", "three"),
    ]


def test_long_texts_that_differ_everywhere_take_a_bounded_time():
    before = " ".join(f"w{number}" for number in range(60_000))
    after = " ".join(f"v{number}" for number in range(60_000))
    pairs = [
        (before, after),
        ("a b " * 100_000, "b a c " * 66_000),
        ("\n" * 400_000, "x\n" * 200_000),
    ]
    for one, other in pairs:
        began = process_time()
        assert sides(word_diff(one, other)) == (one, other)
        assert process_time() - began < 5


def test_in_a_long_text_a_changed_paragraph_is_compared_by_words():
    def text(word, end):
        paragraphs = [" ".join(f"{word}{n}-{m}" for m in range(40)) for n in range(60)]
        return "\n\n".join([*paragraphs, "The middle.", f"The {end} end."])

    before, after = text("one", "old"), text("other", "new")
    runs = word_diff(before, after, steps=20_000)
    assert sides(runs) == (before, after)
    assert runs[-4:-1] == (Run("same", runs[-4].text), Run("removed", "old"), Run("added", "new"))
