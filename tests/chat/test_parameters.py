"""Parameters from files, which are forgiven, and from forms, which are told."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.parameters import PARAMETERS, SAMPLING, chosen, sampling, usual
from webapp.engines.engine import Sampling
from webapp.errors import BadInput
from webapp.settings import SETTINGS

BY_NAME = {each.name: each for each in PARAMETERS}


def test_the_usual_ones_are_those_of_an_engine():
    assert usual() == {"temperature": 0.7, "top_k": 20, "top_p": 0.8, "repeat_penalty": 1.12}
    assert Sampling(**sampling({})) == Sampling()


def test_the_longest_answer_has_the_range_of_its_setting():
    ranges = {each.name: each.metadata.get("range") for each in SETTINGS}
    own = BY_NAME["max_output_tokens"]
    assert (own.lowest, own.highest) == ranges["max_output_tokens"]


def test_an_assistants_own_go_before_the_usual():
    found = sampling({"temperature": 0, "seed": 7, "max_output_tokens": 60, "stream": True})
    assert found == {**usual(), "temperature": 0, "seed": 7}


@pytest.mark.parametrize(
    ("value", "read"),
    [(1.5, 1.5), ("0.25", 0.25), (5, 2), (-1, 0), (0, 0), (10**400, None), (math.nan, None)]
    + [(odd, None) for odd in (True, None, "", "warm", [], {}, math.inf, "9" * 5000, "٣")],
)
def test_what_a_file_says_is_taken_into_the_range_or_not_at_all(value, read):
    assert chosen({"temperature": value}).get("temperature") == read


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("temperature", " 0.5 ", 0.5),
        ("temperature", "0,5", 0.5),
        ("temperature", "", None),
        ("top_k", "1,000", 1000),
        ("top_k", "0", 0),
        ("top_p", "1.0", 1),
    ],
)
def test_what_a_person_types_is_understood(name, text, value):
    assert BY_NAME[name].typed(text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("temperature", "2.1"),
        ("temperature", "-0.1"),
        ("temperature", "warm"),
        ("temperature", "nan"),
        ("temperature", "1e1"),
        ("top_k", "1.5"),
        ("top_k", "1001"),
        ("top_k", "9" * 5000),
        ("repeat_penalty", "0"),
        ("seed", "4294967295"),
        ("top_p", "٠"),
    ],
)
def test_what_is_no_such_number_is_refused_with_the_range(name, text):
    with pytest.raises(BadInput) as refused:
        BY_NAME[name].typed(text)
    assert BY_NAME[name].range in refused.value.do


@given(st.dictionaries(st.sampled_from([each.name for each in SAMPLING]), st.floats() | st.text()))
def test_every_file_gives_parameters_that_an_engine_can_take(parameters):
    for name, value in sampling(parameters).items():
        assert BY_NAME[name].lowest <= value <= BY_NAME[name].highest
