"""Marks on branches, and how a message begins; nothing in a foreign file breaks them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.trees import said
from webapp.chat.branches import (
    Branch,
    checked_name,
    first_words,
    is_starred,
    listed,
    marked,
    name_of,
)
from webapp.chat.tree import Tree
from webapp.errors import BadInput

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_marked_branches_are_found_in_file_order_with_their_names_or_first_words():
    tree = Tree(
        [said("u1", None, branchName="Sea"), said("a1", "u1", starred=True), said("u2", "a1")]
    )
    assert marked(tree) == (Branch("u1", "Sea", False), Branch("a1", "text of a1", True))


def test_what_is_listed_is_what_was_marked():
    branches = (Branch("u1", "Sea", False), Branch("a1", "x", True))
    assert listed({"branches": [each.to_json() for each in branches]}) == branches


@given(JSON, JSON)
def test_any_metadata_is_read_without_a_fault(value, other):
    message = said("u1", None, branchName=value, starred=other)
    assert isinstance(name_of(message), str)
    assert isinstance(is_starred(message), bool)
    listed({"branches": value})
    listed({"branches": [value, {"id": other, "label": value}]})


def test_a_name_is_one_line_and_may_be_empty():
    assert checked_name(" two\nlines\0 ") == "two lines"
    assert checked_name("  ") == ""
    with pytest.raises(BadInput, match="81"):
        checked_name("x" * 81)


def test_first_words_are_plain_and_cut_at_a_word():
    def words(text, length=20):
        return first_words(said("a1").with_text(text), length)

    assert words("## A **bold** start\n\n- of a list") == "A bold start of a…"
    assert words("short") == "short"
    assert words("x" * 50) == "x" * 20 + "…"
    assert words("<think>long thoughts</think>The answer") == "The answer"
    assert words("漢" * 30) == "漢" * 20 + "…"
    assert words("") == ""


@given(st.text())
def test_first_words_are_never_too_long(text):
    assert len(first_words(said("a1").with_text(text), 30)) <= 31
