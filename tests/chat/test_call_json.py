"""The end of a JSON value is found as it arrives, and what is no call is known early."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.call_json import JsonScan


def scanned(text, names=None):
    """The scan, and how many characters it took."""
    scan, taken = JsonScan(names), 0
    for char in text:
        if not scan.going_on:
            break
        scan.feed(char)
        taken += not scan.broken
    return scan, taken


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=3) | st.dictionaries(st.text(), values, max_size=3), st.booleans())
def test_a_value_ends_where_json_says_so(value, indented):
    text = json.dumps(value, indent=2 if indented else None)
    scan, taken = scanned(text + "} rest")
    assert (scan.closed, taken) == (True, len(text))


@pytest.mark.parametrize(
    "text",
    ["{a", "{1", "[,", "{]", "[}", '{"a" "', '{"a": 1 2', '{"a": 1,}', "[1,]", '{"a",', "[a b"],
)
def test_what_is_no_json_is_known_at_the_character_that_breaks_it(text):
    scan, taken = scanned(text)
    assert scan.broken
    assert taken == len(text) - 1


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ('{"name": "rx', 12),
        ('{"namf', 6),
        ('{"name": {', 10),
        ('{"name": 3', 10),
        ('{"name": "retr"', 15),
        ('{"type": [', 10),
        ('[{"name": "x', 12),
        ("[1", 2),
        ('["a"', 4),
        ("[[", 2),
    ],
)
def test_it_is_no_call_from_the_first_character_that_says_so(text, taken):
    for size in range(taken):
        assert scanned(text[:size], ("retrieve",))[0].may_be_call
    assert not scanned(text, ("retrieve",))[0].may_be_call


def test_arguments_may_hold_anything():
    text = '{"id": "1", "name": "retrieve", "arguments": {"name": ["x", {"y": 3}], "z": [1, "a"]}}'
    scan, _ = scanned(text, ("retrieve",))
    assert scan.closed
    assert scan.may_be_call


def test_a_line_break_in_a_string_is_allowed_only_where_a_tag_says_that_it_is_a_call():
    assert scanned('{"a": "b\n"}')[0].closed
    assert scanned('{"name": "b\n"}', ("b",))[0].broken
