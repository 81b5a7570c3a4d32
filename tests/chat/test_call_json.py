"""The end of a JSON value, and early word that it is no call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.call_json import JsonScan

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def scanned(text, names=None):
    scan = JsonScan(names)
    for at, char in enumerate(text):
        if not scan.going_on:
            return scan, at
        scan.feed(char)
    return scan, len(text)


@given(st.dictionaries(st.text(max_size=5), VALUES) | st.lists(VALUES))
def test_a_value_is_closed_with_its_last_character(value):
    text = json.dumps(value)
    scan, end = scanned(f"{text} and words")
    assert scan.closed and end == len(text)


@pytest.mark.parametrize("text", ['{"a" 1}', "{1: 2}", "[1 2]", "{]", '{"a":}', "[,]", '{"a": 1,}'])
def test_what_is_no_json_is_broken(text):
    assert scanned(text)[0].broken


@pytest.mark.parametrize(
    "text",
    ['{"title"', '{"name": "other', '{"name": 7', "[1", '["word"', '{"name": {', "[["],
)
def test_what_cannot_be_a_call_of_these_is_told_early(text):
    assert not scanned(text, ("retrieve",))[0].may_be_call


@pytest.mark.parametrize(
    "text", ['{"na', '{"name": "retr', '[{"name": "retrieve", "arguments": {"x']
)
def test_what_may_still_be_a_call_is_waited_for(text):
    scan, _ = scanned(text, ("retrieve",))
    assert scan.may_be_call and scan.going_on


def test_a_line_break_in_a_string_is_allowed_inside_tags_alone():
    assert scanned('{"a": "b\nc"}')[0].closed
    assert scanned('{"name": "a\n', ("retrieve",))[0].broken
