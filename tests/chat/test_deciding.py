"""What a grammar allows is what is read; what cannot be read is nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.deciding import LONGEST_QUERY, QUERY, message, only, read, reply, short


def test_an_example_keeps_to_the_schema():
    wanted = only("retrieve", query=QUERY)
    example = json.loads(reply("retrieve", "退租 notice"))
    assert example.keys() == set(wanted["required"]) == set(wanted["properties"])
    assert wanted["properties"]["action"]["const"] == example["action"]
    assert json.loads(reply("answer_directly")).keys() == set(only("answer_directly")["required"])


def test_what_was_written_is_read():
    assert read(reply("recall", "my sister's name")) == ("recall", "my sister's name")
    assert read(reply("answer_directly")) == ("answer_directly", None)
    assert read('{"action": "recall", "query": " a\\n b "}') == ("recall", "a b")
    assert read('{"action": "recall", "query": 7}') == ("recall", None)
    assert len(read(reply("recall", "x" * 1000))[1]) == LONGEST_QUERY


@pytest.mark.parametrize("written", ["", "{", "[1]", "null", "recall", "[" * 100_000])
def test_rubbish_is_nothing(written):
    assert read(written) is None


@given(st.text())
def test_any_text_is_read_or_not(written):
    read(written)


def test_a_long_message_keeps_its_ends_on_one_line():
    asked = message("Before\nthat", "begin " + "word " * 400 + "end?")
    assert asked.startswith("Before: Before that\nMessage: begin word")
    assert asked.endswith("end?")
    assert " … " in asked
    assert len(short("x" * 5000, 600)) <= 603
    assert message("", "Hello") == "Message: Hello"
