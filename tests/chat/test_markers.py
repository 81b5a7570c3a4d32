"""Marks stand behind the right sentences, and nowhere inside what is protected."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.test_protected import MARKDOWN
from webapp.chat.grounding import Mark, ground
from webapp.chat.markers import placed
from webapp.chat.protected import is_protected, protected_spans
from webapp.chat.sentences import sentences

FOLDER = Path(__file__).parents[1] / "data" / "grounding"
MARKS = st.lists(
    st.builds(lambda at, n: Mark(at, (0, at), n, 0.7), st.integers(0, 120), st.integers(0, 12)),
    max_size=8,
)


def stub(text, rules):
    """A vector for the first rule whose words stand in the text."""
    found = next((i for i, words in enumerate(rules) if words in text), -1)
    return [float(i == found) for i in range(len(rules))]


@pytest.mark.parametrize(
    ("file", "passages", "rules", "marked"),
    [
        (
            "code.md",
            ["The sum is kept in the first cell of the table."],
            ["kept in the first cell"],
            [
                ("The sum is kept in the first cell.", 1),
                ("Use `data = [0]` here. The sum is kept in the first cell.", 1),
            ],
        ),
        (
            "regex-characters.md",
            ["all of it", "per month"],
            ["all of it", "per month"],
            [
                ("The path C:\\new\\1 holds $& and $1 (all of it)?", 1),
                ("It costs 5.50 + tax per month.", 2),
            ],
        ),
    ],
)
def test_marks_stand_behind_the_right_sentences_and_nowhere_else(file, passages, rules, marked):
    text = (FOLDER / file).read_text("utf-8")
    found = sentences(text)
    grounding = ground(
        found,
        passages,
        [stub(sentence.text, rules) for sentence in found],
        [stub(passage, rules) for passage in passages],
        float,
    )
    fit = placed(text, grounding.marks)
    assert len(fit) == len(marked)
    for (words, number), mark in zip(marked, fit, strict=True):
        assert text[: mark.at].endswith(words)
        assert mark.passage + 1 == number


@given(MARKDOWN, MARKS)
def test_no_mark_falls_into_a_protected_span(text, marks):
    spans = protected_spans(text)
    fit = placed(text, marks)
    assert all(a.at <= b.at for a, b in pairwise(fit))
    assert not any(is_protected(text, spans, mark.at) for mark in fit)
    assert not any(start < mark.at < end for mark in fit for start, end in spans)
