"""Search in copies of tables: the same as looking at each row, and never an old copy."""

import numpy as np
import pytest

from tests.documents.searching import numbered, unit
from webapp.documents.exact import ExactSearch, closest
from webapp.documents.lance import LanceTables

TABLE = "attachments_a"


@pytest.fixture
def lance(tmp_path):
    lance = LanceTables(tmp_path)
    lance.add(TABLE, "space", "f1", numbered(200), unit(200))
    lance.add(TABLE, "space", "f2", numbered(50), unit(50, seed=1))
    return lance


def test_the_closest_are_those_that_looking_at_each_finds(lance):
    rows = ExactSearch(lance, 1 << 20).copy(TABLE)
    for question in unit(20, seed=2):
        order = np.argsort(-(rows.vectors @ question))
        assert set(closest(rows, question, 10, {"f1", "f2"}).tolist()) == set(order[:10].tolist())
        own = [number for number in order if number >= 200]
        assert set(closest(rows, question, 10, {"f2"}).tolist()) == set(own[:10])


def test_asking_for_more_than_there_is_gives_all(lance):
    rows = ExactSearch(lance, 1 << 20).copy(TABLE)
    assert len(closest(rows, unit(1)[0], 999, {"f1", "f2"})) == 250
    assert len(closest(rows, unit(1)[0], 999, {"f2"})) == 50
    assert len(closest(rows, unit(1)[0], 5, {"unknown"})) == 0


def test_a_copy_is_used_again_until_the_table_changes(lance, tmp_path):
    exact = ExactSearch(lance, 1 << 20)
    first = exact.copy(TABLE)
    assert exact.copy(TABLE) is first
    LanceTables(tmp_path).remove(TABLE, ["f1"])
    assert len(exact.copy(TABLE)) == 50
    lance.drop(TABLE)
    assert exact.copy(TABLE) is None
    lance.add(TABLE, "space", "f3", numbered(3), unit(3))
    assert len(exact.copy(TABLE)) == 3


def test_copies_that_do_not_fit_together_make_room_for_each_other(lance):
    lance.add("attachments_b", "space", "f1", numbered(200), unit(200))
    room = lance.read(TABLE).size_bytes + 1000
    exact = ExactSearch(lance, room)
    first = exact.copy(TABLE)
    exact.copy("attachments_b")
    assert exact.copy(TABLE) is not first
    assert not exact.fits(10_000, 64)
    assert exact.fits(50, 64)
    exact.forget(TABLE)
    exact.forget("unknown")
