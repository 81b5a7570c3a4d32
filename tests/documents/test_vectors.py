"""Which vectors are kept and compared, and which are refused."""

import numpy as np
import pytest

from tests.documents.searching import unit
from webapp.documents.vectors import checked, cosines, joined
from webapp.errors import EngineFailed


def test_sound_vectors_come_back_as_float32():
    given = unit(3)
    assert np.array_equal(checked(given.tolist(), 3, 64), given)
    assert checked(given, 3, 64).dtype == np.float32
    assert checked([], 0, 64).shape == (0, 64)


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ([[1.0, 0.0]], "1 vectors for 2 texts"),
        ([[1.0, 0.0], [1.0]], "1 numbers instead of 2"),
        ([[1.0, 0.0], [1.0, 0.0, 0.0]], "3 numbers instead of 2"),
        ([[1.0, 0.0], [0.0, 0.0]], "length is not 1"),
        ([[1.0, 0.0], [3.0, 4.0]], "length is not 1"),
        ([[1.0, 0.0], [float("nan"), 0.0]], "not finite"),
        ([[1.0, 0.0], [float("inf"), 0.0]], "not finite"),
        ([[1.0, 0.0], ["one", "two"]], "not made of numbers"),
        ([[1.0, 0.0], [None, 1.0]], "not"),
    ],
)
def test_unusable_vectors_are_refused_in_a_sentence(vectors, says):
    with pytest.raises(EngineFailed) as error:
        checked(vectors, 2, 2)
    assert says in error.value.what
    assert error.value.do


def test_pieces_of_a_text_have_one_vector_by_their_lengths():
    x, y = np.eye(2, dtype=np.float32)
    assert np.allclose(joined(np.stack([x, y]), [1, 1]), [0.5**0.5, 0.5**0.5])
    assert joined(np.stack([x, y]), [9, 1])[0] > 0.99
    with pytest.raises(EngineFailed):
        joined(np.stack([x, -x]), [1, 1])


def test_cosines_are_exact_and_never_beyond_one():
    vectors = unit(100)
    found = cosines(vectors, vectors[3])
    assert found.max() == found[3] <= 1.0
    assert found[3] > 1 - 1e-6
