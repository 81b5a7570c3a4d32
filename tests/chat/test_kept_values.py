"""Values of stored JSON that may hold anything."""

import math

import pytest

from webapp.chat.kept_values import flag, mappings, number, span, word


@pytest.mark.parametrize(
    ("value", "found"),
    [(3, 3.0), (0.5, 0.5), (-1, 0.0), (True, 0.0), ("3", 0.0), (math.nan, 0.0), (10**400, 0.0)],
)
def test_a_number_is_finite_and_not_negative(value, found):
    assert number(value) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([1, 2], (1, 2)),
        ((0, 1), (0, 1)),
        ([2, 2], None),
        ([2, 1], None),
        ([-1, 1], None),
        ([0, True], None),
        ([0.0, 1.0], None),
        ([1], None),
        ("12", None),
    ],
)
def test_a_span_is_two_places_in_order(value, found):
    assert span(value) == found


def test_other_values_are_themselves_or_nothing():
    assert mappings([{"a": 1}, 5, None]) == [{"a": 1}, {}, {}]
    assert mappings({"a": 1}) == []
    assert (word("a"), word(5)) == ("a", "")
    assert (flag(True), flag(1), flag("true")) == (True, False, False)
