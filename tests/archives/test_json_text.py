"""JSON of other programs, whole, damaged and hostile."""

import io
import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webapp.archives import json_text
from webapp.archives.json_text import DEEPEST, items, loaded
from webapp.errors import BadInput
from webapp.threads import exact

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


class Slow(io.BytesIO):
    """Gives three bytes at a time."""

    def read(self, size=-1):
        return super().read(min(3, size))


def cut(data, stream=io.BytesIO):
    return [(each.data, each.trouble) for each in items(stream(data))]


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=4), st.sampled_from([None, 1])
)
def test_a_list_comes_item_by_item(values, indent):
    data = json.dumps(values, indent=indent).encode()
    for stream in (io.BytesIO, Slow):
        found = cut(data, stream)
        assert [json.loads(each) for each, trouble in found] == values
        assert not any(trouble for _, trouble in found)


def test_one_object_is_a_list_of_one():
    assert cut(b'\xef\xbb\xbf {"a": "]}"} trailing') == [(b'{"a": "]}"}', "")]


def test_a_damaged_item_takes_no_other_with_it():
    found = cut(b'[{"a": 1}, {"b": nul}, 7, {"c": "\\"]"}, {"d": [1')
    assert [trouble for _, trouble in found] == [
        "",
        "",
        "It is not a thread.",
        "",
        "The file ends in the middle of it.",
    ]
    assert loaded(found[0][0]) == {"a": 1}
    with pytest.raises(BadInput, match="not JSON"):
        loaded(found[1][0])
    assert loaded(found[3][0]) == {"c": '"]'}


def test_what_is_nested_absurdly_is_passed_over_and_what_follows_is_not():
    deep = b"[" * 100_000 + b"]" * 100_000
    fine = b"[" * (DEEPEST - 1) + b"]" * (DEEPEST - 1)
    found = cut(b'[{"a":' + deep + b'},{"b":' + fine + b"}]")
    assert [trouble for _, trouble in found] == ["It is nested too deeply.", ""]


def test_an_item_without_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(json_text, "LARGEST_ITEM", 1 << 20)

    class Endless:
        given = 0

        def read(self, size):
            self.given += size
            return b"[" + b" " * (size - 1) if self.given == size else b" " * size

    stream = Endless()
    with pytest.raises(BadInput, match="more than"):
        list(items(stream))
    assert stream.given < 8 << 20


@pytest.mark.parametrize("data", [b"", b"  ", b"hello", b"\x89PNG", b'"text"', b"PK\x03\x04"])
def test_what_is_neither_list_nor_object_is_refused(data):
    with pytest.raises(BadInput, match="not a JSON list or object"):
        list(items(io.BytesIO(data)))


def test_bytes_that_are_no_utf8_and_numbers_that_are_none_are_refused():
    with pytest.raises(BadInput, match="UTF-8"):
        loaded(b'{"a": "\xff"}')
    for text in (b'{"a": NaN}', b'{"a": [-Infinity]}'):
        with pytest.raises(BadInput, match="numbers that JSON does not have"):
            loaded(text)
    assert loaded(b'{"a": "NaN", "Infinity": 1e999}')["a"] == "NaN"
    assert math.isinf(loaded(b'{"b": 1e999}')["b"])
    assert exact.dumps(loaded(b'{"b":1.10,"c":"\\ud800"}')) == '{"b":1.10,"c":"\ud800"}'


def test_a_large_list_is_cut_at_a_bearable_pace():
    """Were each item to move all that follows it, this would take minutes."""
    data = b"[" + b",".join([b'{"role":"user","text":"' + b"x\\n" * 200 + b'"}'] * 20_000) + b"]"
    assert len(cut(data)) == 20_000
