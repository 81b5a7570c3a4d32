import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.engines.openai_vectors import MOST_TEXTS, batches, cleaned, same, vectors_of
from webapp.errors import EngineFailed


def reply(*vectors, order=None):
    places = order or range(len(vectors))
    return {"data": [{"index": n, "embedding": v} for n, v in zip(places, vectors, strict=True)]}


def test_vectors_are_put_in_order_by_index_and_get_unit_length():
    assert vectors_of(reply([0, 2], [3, 4], order=[1, 0]), 2) == [[0.6, 0.8], [0.0, 1.0]]


def test_without_indexes_the_order_of_the_reply_counts():
    assert vectors_of({"data": [{"embedding": [1]}, {"embedding": [-2]}]}, 2) == [[1.0], [-1.0]]


@pytest.mark.parametrize(
    ("said", "what"),
    [
        (reply([1]), "1 embeddings for 2"),
        (reply([1], [1], [1]), "3 embeddings for 2"),
        (reply([1], [1], order=[0, 0]), "embeddings for 2"),
        (reply([1], [1], order=[0, 5]), "embeddings for 2"),
        (reply([1], [1], order=[0, True]), "embeddings for 2"),
        (reply([1], [1, 2]), "differ in length"),
        (reply([1], []), "not a list of numbers"),
        (reply([1], [float("nan")]), "not a list of numbers"),
        (reply([1], [float("inf")]), "not a list of numbers"),
        (reply([1], [10**400]), "not a list of numbers"),
        (reply([1], ["1"]), "not a list of numbers"),
        (reply([1], [True]), "not a list of numbers"),
        (reply([1], [[1.0], [2.0]]), "not a list of numbers"),
        (reply([1], "base64"), "not a list of numbers"),
        (reply([1], [0, 0]), "without a direction"),
        ({"data": [1, 2]}, "no embeddings in it"),
        ({}, "no embeddings in it"),
        (None, "no embeddings in it"),
    ],
)
def test_what_cannot_be_right_is_refused(said, what):
    with pytest.raises(EngineFailed, match=what) as told:
        vectors_of(said, 2)
    assert told.value.do


@given(st.lists(st.integers(0, 30_000).map(lambda size: "x" * size), max_size=80))
def test_every_text_is_in_one_batch_and_in_order(texts):
    found = list(batches(texts))
    assert [n for batch in found for n in batch] == list(range(len(texts)))
    for batch in found:
        assert len(batch) <= MOST_TEXTS
        assert len(batch) == 1 or sum(len(texts[n]) for n in batch) <= 40_000


def test_texts_are_composed_stripped_and_encodable():
    assert cleaned(0, " cafe\u0301\ud800\n") == "café\ufffd"
    with pytest.raises(EngineFailed, match="Text 7 is empty"):
        cleaned(7, " \n")


def test_equal_directions_are_the_same_but_for_rounding():
    one = [math.cos(0.5), math.sin(0.5)]
    assert same(one, [one[0] + 1e-7, one[1]])
    assert not same(one, [math.cos(0.51), math.sin(0.51)])
    assert not same(one, [1.0])
