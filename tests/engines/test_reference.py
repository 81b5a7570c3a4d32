"""Known pairs of texts tell whether an embedder is the one it should be."""

import dataclasses
import math

import pytest

from tests.engines.wheelhouse import entry_for
from webapp.engines.catalog import Embedding, Reference
from webapp.engines.reference import check_references, cosine
from webapp.errors import Damaged

ABOUT = Embedding(2, 0.0, 1.0, references=(Reference("one", "two", 0.6),))
ENTRY = entry_for(b"x", role="embedding", embedding=ABOUT)


def embedder(first, second):
    vectors = {"one": first, "two": second}
    return lambda texts: [vectors[text] for text in texts]


def test_the_right_model_passes_whatever_the_length_of_its_vectors():
    check_references(ENTRY, embedder([1.0, 0.0], [3.0, 4.0]))
    check_references(ENTRY, embedder([0.5, 0.0], [0.6, 0.8]))


@pytest.mark.parametrize(
    ("second", "how"),
    [
        ([0.0, 1.0], "cosine 0.000, not 0.600"),
        ([0.6, 0.8, 0.0], "numbers, not 2"),
        ([0.0, 0.0], "cosine nan"),
        ([math.nan, 1.0], "cosine nan"),
    ],
)
def test_a_wrong_model_is_named_with_what_is_wrong_and_the_way_out(second, how):
    with pytest.raises(Damaged, match="Tiny does not work") as wrong:
        check_references(ENTRY, embedder([1.0, 0.0], second))
    assert how in wrong.value.what
    assert "strata models remove tiny" in wrong.value.do


def test_a_chat_model_has_no_vectors_to_check():
    with pytest.raises(ValueError, match="no embedder"):
        check_references(dataclasses.replace(ENTRY, embedding=None), lambda texts: [])


def test_the_cosine_of_a_vector_with_itself_is_one():
    assert cosine([3.0, 4.0], [3.0, 4.0]) == pytest.approx(1.0)
