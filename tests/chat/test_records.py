from dataclasses import FrozenInstanceError

import pytest

from tests.chat.trees import said
from webapp.chat.records import ActiveRoot, Append, Decision, Delete, Patch, Put


def test_a_decision_of_nothing_writes_nothing():
    assert Decision() == Decision((), None)


def test_equal_records_are_one_decision():
    def made():
        return Decision(
            (Put(said("u1", None)), Patch("u1", {"a": 1}), Append("u1", "x"), Delete("u1")),
            ActiveRoot("u1"),
        )

    assert made() == made()


def test_records_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Delete("u1").message_id = "u2"
