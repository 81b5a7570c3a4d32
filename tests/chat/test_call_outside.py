"""Code and thinking are followed to their end, so that nothing in them is taken for a call."""

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


def ended(read, text, *given):
    cursor = Cursor()
    cursor.chars, cursor.over = list(text), True
    waiting = read(cursor, *given)
    try:
        next(waiting)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits for more of a text that is over")


def followed(read, text, *given):
    shown = []
    ended(read, text, *given, shown.append)
    return text[: shown[-1]]


@pytest.mark.parametrize(
    ("text", "end"), [("a `` b` c", 7), ("no end", 0), ("a\n\nb`", 0), ("a\nb`c", 4)]
)
def test_a_code_span_ends_with_as_many_ticks_in_its_paragraph(text, end):
    assert ended(span_end, text, 0, 1) == end


def test_a_fence_begins_with_a_line_that_holds_no_tick():
    assert ended(content_of_fence, "json\n{}", 0, "`") == 5
    assert ended(content_of_fence, "a`b\n", 0, "`") == 0
    assert ended(content_of_fence, "a`b\n", 0, "~") == 4


def test_a_fence_is_over_only_when_nothing_else_stands_in_it():
    fence = Fence("`", 3)
    assert ended(fence_end, "\n```\nwords", 0, fence) == 4
    assert ended(fence_end, "more\n```", 0, fence) == -1
    assert ended(fence_end, "\n``", 0, fence) == -1
    assert ended(fence_end, " \n ", 0, fence) == 3


def test_the_content_of_a_fence_goes_to_its_closing_line():
    assert followed(follow_fence, "one\n``\n```\nafter", 0, Fence("`", 3)) == "one\n``\n```\n"
    assert followed(follow_fence, "one\ntwo", 0, Fence("`", 3)) == "one\ntwo"


def test_thinking_goes_to_its_end_that_is_neither_quoted_nor_code():
    assert followed(follow_thinking, "a '</think>' b</think> c", 0) == "a '</think>' b</think>"
    code = "a\n```\n</think>\n```\nb</think>"
    assert followed(follow_thinking, f"{code} c", 0) == code
