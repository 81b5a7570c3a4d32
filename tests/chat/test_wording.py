"""Text from a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.wording import (
    LONGEST_MESSAGE,
    LONGEST_TITLE,
    checked_text,
    checked_title,
    clean,
    title_from,
)
from webapp.errors import BadInput

ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@given(ANY_TEXT)
def test_cleaned_text_can_always_be_written_and_has_no_nul(text):
    cleaned = clean(text)
    assert "\0" not in cleaned.encode("utf-8").decode("utf-8")


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\0", "\u3000"])
def test_a_message_without_a_visible_character_is_refused_with_a_sentence(text):
    with pytest.raises(BadInput, match="nothing to send"):
        checked_text(text)


def test_a_message_of_two_megabytes_is_refused_with_its_length_and_the_limit():
    with pytest.raises(BadInput, match=r"2,000,000.*400,000"):
        checked_text("x" * 2_000_000)
    assert checked_text("x" * LONGEST_MESSAGE)


def test_a_message_keeps_its_own_white_space_and_line_breaks():
    assert checked_text("  a\r\n\r\n  b ") == "  a\n\n  b "


@given(ANY_TEXT)
def test_a_title_is_one_short_line(text):
    title = title_from(text)
    assert len(title) <= 61
    assert "\n" not in title


def test_a_long_title_is_cut_between_words():
    assert title_from("word " * 40).endswith("word…")
    assert title_from("字" * 100) == "字" * 60 + "…"


def test_a_title_typed_by_a_person_is_one_line_and_bounded():
    assert checked_title("  My \n trip ") == "My trip"
    with pytest.raises(BadInput):
        checked_title(" \n")
    with pytest.raises(BadInput, match=str(LONGEST_TITLE)):
        checked_title("x" * 201)
