"""What a model replies when asked for a title, and what of it is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.titles import REQUEST, asked, is_enough, title_in
from webapp.chat.wording import TITLE_CHARACTERS


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Tides and the moon", "Tides and the moon"),
        ('"Tides and the moon."', "Tides and the moon"),
        ("Title: Tides and the moon", "Tides and the moon"),
        ("**Title:** Tides and the moon\n\nIt is about water.", "Tides and the moon"),
        ("# Tides\n", "Tides"),
        ("- Tides", "Tides"),
        ("  \n\n\tTides \t and   the moon  \n", "Tides and the moon"),
        ("标题：《潮汐与月亮》。", "潮汐与月亮"),
        ("<think>Two to six words… Tides?</think>\n\nTides", "Tides"),
        ("What is a tide?", "What is a tide?"),
        ("Error Handling in Python", "Error Handling in Python"),
        ("C++ and C#", "C++ and C"),
        ("Ti\0des \ud800", "Tides \N{REPLACEMENT CHARACTER}"),
    ],
)
def test_a_title_is_one_bare_line(reply, title):
    assert title_in(reply) == title


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n\t ",
        "<think>I should name the subject",
        "<think>Tides</think>",
        "I'm sorry, I can't help with that.",
        "Sure! Here is a title: Tides",
        "***",
        "“”",
        "…",
        '{"title": "Tides"}',
        "<tool_call>",
        "The tides are caused by the pull of the moon and the sun on the water of the oceans",
        "Untitled",
        "Error: the model is not loaded",
    ],
)
def test_what_is_no_title_gives_none(reply):
    assert title_in(reply) == ""


@given(st.text())
def test_whatever_comes_back_a_title_is_short_has_one_line_and_something_to_read(reply):
    title = title_in(reply)
    assert len(title) <= TITLE_CHARACTERS
    assert "\n" not in title and "\0" not in title
    assert title == "" or any(character.isalnum() for character in title)


def test_the_first_line_is_enough_and_a_thinking_model_may_think_first():
    assert not is_enough("Tides and")
    assert is_enough("Tides and the moon\n")
    assert is_enough("The tides " * 20)
    assert not is_enough("\n\n")
    assert not is_enough("<thi")
    assert not is_enough("<think>\nWhat is it about?\n" + "Water. " * 50)
    assert not is_enough("<think>\nWater.\n</think>\n\nTides")
    assert is_enough("<think>\nWater.\n</think>\n\nTides\n")


def test_the_request_goes_on_from_the_conversation_so_that_nothing_is_read_again():
    said = [("system", "Be brief."), ("user", "q")]
    assert asked(said, "a") == [*said, ("assistant", "a"), ("user", REQUEST)]


def test_a_title_that_is_too_long_goes_without_its_subtitle():
    long = "Daily Tide: Explanation of Earth's Gravitational Pull and Continuous Light Cycle"
    assert title_in(long) == "Daily Tide"
    assert title_in(long.replace("Daily Tide", "Tea")) == ""
    assert title_in(long[:50]) == long[:50]
