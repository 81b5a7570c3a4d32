"""Going on with an answer: which may, and how the two parts are joined."""

import pytest

from tests.chat.trees import said
from webapp.chat.continuing import (
    can_continue,
    check_can_continue,
    joint,
)
from webapp.errors import Conflict


def answer(text="words", status="ready", **metadata):
    return said("a1", "u1", **metadata).with_text(text).with_fields(status=status)


def test_only_an_answer_with_words_that_was_cut_short_can_be_continued():
    assert can_continue(answer(status="stopped"))
    assert can_continue(answer(status="error"))
    assert can_continue(answer(usage={"reason": "length"}))
    assert not can_continue(answer(usage={"reason": "stop"}))
    assert not can_continue(answer(usage="foreign"))
    assert not can_continue(answer(status="pending"))
    assert not can_continue(answer(" \n", status="stopped"))
    assert not can_continue(said("u1", None).with_fields(status="stopped"))
    with pytest.raises(Conflict):
        check_can_continue(answer())


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        ("The tide", "comes", " "),
        ("The tide ", "comes", ""),
        ("The tide", " comes", ""),
        ("Done.", "Next", " "),
        ("A list:\n", "- one", ""),
        ("潮汐", "来了", ""),
        ("潮汐", "comes", ""),
        ("a", ", b", ""),
        ("", "x", ""),
        ("x", "", ""),
    ],
)
def test_parts_are_joined_as_the_writer_would(before, after, between):
    assert joint(before, after) == between
