"""People and what is kept of them."""

import pytest

from webapp.errors import BadInput
from webapp.people.person import (
    LONGEST_NAME,
    OneTimeCode,
    Person,
    Roll,
    checked_name,
    name_key,
    roll_from,
)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  Ada   Lovelace\n", "Ada Lovelace"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("A\0da\ud800\u202e", "Ada"),
        ("王小明", "王小明"),
    ],
)
def test_a_name_is_one_line_of_what_can_be_seen(typed, name):
    assert checked_name(typed) == name


@pytest.mark.parametrize("typed", ["", "  ", "\0", "\u200b\u202e", "x" * (LONGEST_NAME + 1)])
def test_a_name_that_is_none_is_told(typed):
    with pytest.raises(BadInput):
        checked_name(typed)


@pytest.mark.parametrize(("one", "other"), [("Ada", "ADA"), ("Ａda", "ada"), ("a  b", " A b")])
def test_names_that_look_the_same_are_the_same(one, other):
    assert name_key(one) == name_key(other)
    assert Roll((Person("1", one),)).named(other).id == "1"


def test_what_is_kept_comes_back():
    roll = Roll(
        (Person("1", "Ada", True, "$argon2id$", 5), Person("2", "Ben")),
        (OneTimeCode("hash", 9, "2"),),
        "ABCD1234",
    )
    assert roll_from(roll.to_json()) == roll
    assert roll.owner().name == "Ada"
    assert roll_from({}) == Roll()


@pytest.mark.parametrize(
    "raw",
    [
        {"access_code": 5},
        {"people": {}},
        {"people": [5]},
        {"people": [{"id": "1"}]},
        {"people": [{"id": 1, "name": "x"}]},
        {"people": [{"id": "1", "name": "x", "is_owner": "yes"}]},
        {"people": [{"id": "1", "name": "x"}, {"id": "1", "name": "y"}]},
        {"people": [{"id": str(n), "name": str(n), "is_owner": True} for n in range(2)]},
        {"codes": [{"hash": "x"}]},
    ],
)
def test_anything_else_is_not_half_believed(raw):
    with pytest.raises(ValueError):
        roll_from(raw)
