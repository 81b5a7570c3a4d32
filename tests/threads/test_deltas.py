import time

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from webapp.threads.deltas import BrokenChainError, delta

some_bytes = st.none() | st.binary(max_size=12) | st.text("ab", max_size=12).map(str.encode)


@given(some_bytes, some_bytes)
@example(b"aaa", b"aaaa")
@example(b"aaaa", b"aaa")
@example(b"", b"a")
@example(b"", None)
def test_a_difference_leads_back_to_what_was(before, after):
    assert delta(before, after).before(after) == before


def test_a_difference_holds_only_what_differs():
    assert delta(b"one two three", b"one 2 three").middle == b"two"
    assert delta(b"x" * 1000, b"x" * 1005).middle == b""
    assert delta(b'{"text":"so far"}', b'{"text":"so far and on"}').middle == b""


def test_other_bytes_than_it_was_taken_from_are_noticed():
    back = delta(b"one two three", b"one 2 three")
    for other in (b"ono 2 three", b"", b"o", None):
        with pytest.raises(BrokenChainError):
            back.before(other)


def test_large_texts_are_compared_quickly():
    text = b"0123456789abcdef" * 500_000
    start = time.process_time()
    assert delta(text, text[:4_000_000] + b"!" + text[4_000_000:]).middle == b""
    assert time.process_time() - start < 2
