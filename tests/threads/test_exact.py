import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.threads import exact

NUMBERS = ["1.10", "1E5", "1e-7", "-0", "-0.0", "12345678901234567890", "1e999", "0.1", "7" * 5000]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:20])
def test_a_number_keeps_its_spelling(number):
    assert exact.dumps(exact.loads(f'{{"n":[{number}]}}')) == f'{{"n":[{number}]}}'


def test_numbers_can_be_reckoned_with():
    assert exact.loads("[1.10, 1E2, -0]") == [1.1, 100, 0]


def test_text_with_a_minus_zero_in_it_is_just_text():
    assert exact.loads('["2026-01-02", 5]') == ["2026-01-02", 5]


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", "[" * 100_000, '{"a":' * 50_000])
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        exact.loads(text)


def test_a_lone_surrogate_becomes_its_escape():
    assert exact.encoded(exact.dumps("a\ud800é")) == b'"a\\ud800\xc3\xa9"'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_values_come_back_and_any_json_reader_agrees(value):
    text = exact.encoded(exact.dumps(value)).decode()
    assert exact.loads(text) == value
    assert json.loads(text) == value
