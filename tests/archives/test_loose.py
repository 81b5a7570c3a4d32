"""Fields of any kind come out as theirs, or as nothing."""

import pytest

from webapp.archives.loose import call, id_or_none, ids, mapping, milliseconds, rows, words
from webapp.threads.exact import Spelled


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (1735700000.5, 1735700000500),
        (1735700000500, 1735700000500),
        (Spelled("1735700000.50"), 1735700000500),
        (0, 0),
        (-5, 0),
        (True, 0),
        ("1735700000", 0),
        (None, 0),
        (float("inf"), 0),
        (float("nan"), 0),
        (10**400, 0),
        (1735700000500000, 1735700000500),
        (1735700000500000000, 1735700000500),
        ("2025-01-01T02:53:20.500000Z", 1735700000500),
        ("2025-01-01T03:53:20.5+01:00", 1735700000500),
        ("2025-01-01T02:53:20", 1735700000000),
        ("0001-01-01T00:00:00Z", 0),
        ("9999-12-31T23:59:59-12:00", 253402343999000),
        ("yesterday", 0),
    ],
)
def test_times_come_in_any_unit_and_as_text(value, found):
    assert milliseconds(value) == found


@pytest.mark.parametrize("odd", [None, 3, "x", [], {}, [3], True])
def test_nothing_of_another_kind_comes_through(odd):
    assert mapping(odd) == {}
    assert rows(odd) in ([], [{}])
    assert words(odd) == (odd if isinstance(odd, str) else "")
    assert ids(odd) == ()
    assert id_or_none(odd) == (odd if isinstance(odd, str) else None)


def test_a_call_always_has_an_object_as_its_arguments():
    assert call("1", "n", "x")["function"]["arguments"] == '{"input": "x"}'
    assert call("1", "n", {"a": 1}, "r") == {
        "tool": {
            "id": "1",
            "type": "function",
            "function": {"name": "n", "arguments": '{"a": 1}'},
        },
        "response": "r",
    }
