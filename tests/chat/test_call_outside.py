"""Code and thinking are followed to their end, and shown on the way."""

import pytest

from webapp.chat.call_cursor import Cursor
from webapp.chat.call_outside import (
    Fence,
    content_of_fence,
    fence_end,
    follow_fence,
    follow_thinking,
    span_end,
)


def result(look, text, *more):
    """What it found in the text, and what it showed when it is given a `show`."""
    cursor, shown = Cursor(), []
    given = [shown.append if each == "show" else each for each in more]
    looking = look(cursor, *given)
    try:
        for char in text:
            next(looking)
            cursor.chars += char
        cursor.over = True
        next(looking)
    except StopIteration as found:
        return found.value, shown
    raise AssertionError("it still waits although no more comes")


@pytest.mark.parametrize(
    ("text", "ticks", "end"),
    [("a` b", 1, 2), ("a`` b` c", 1, 6), ("a\nb`c", 1, 4), ("a\n \nb`", 1, 0), ("a", 1, 0)],
)
def test_a_code_span_ends_at_as_many_ticks_in_its_paragraph(text, ticks, end):
    assert result(span_end, text, 0, ticks)[0] == end


@pytest.mark.parametrize(
    ("text", "mark", "end"),
    [("json\nx", "`", 5), ("a`b\n", "`", 0), ("a`b\n", "~", 4), ("a", "`", 1)],
)
def test_the_first_line_of_a_fence_holds_no_tick(text, mark, end):
    assert result(content_of_fence, text, 0, mark)[0] == end


@pytest.mark.parametrize(
    ("text", "end"),
    [(" \n```\nx", 5), ("````", 4), ("", 0), (" ", 1), ("``\n", -1), ("``` x", -1), ("x", -1)],
)
def test_nothing_but_the_closing_line_follows_a_call_in_a_fence(text, end):
    assert result(fence_end, text, 0, Fence("`", 3))[0] == end


def test_a_fence_is_shown_as_it_comes_and_ends_behind_its_closing_line():
    _, shown = result(follow_fence, "a\n``\n> ```\nb", 0, Fence("`", 3), "show")
    assert shown[-1] == len("a\n``\n> ```\n")
    assert shown[0] == 1


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a</think>b", 9),
        ("a</THINK>b", 9),
        ("`</think>` b</think>c", 20),
        ("a\n```\n</think>\n```\n</think>c", 27),
        ("a", 1),
        ("a</thi", 6),
    ],
)
def test_thinking_ends_at_the_first_tag_that_is_no_mention(text, end):
    assert result(follow_thinking, text, 0, "show")[1][-1] == end
