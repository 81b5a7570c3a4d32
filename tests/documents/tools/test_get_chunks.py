import json

import pytest

from webapp.documents.tools.get_chunks import GetChunks
from webapp.documents.tools.tool import call


@pytest.fixture
def book(ids):
    return ids["book.md"]


def orders(outcome):
    return [each["order"] for each in json.loads(outcome.text)["results"]]


def wanted(file_id, first, last):
    return {"file_id": file_id, "start_order": first, "end_order": last}


def test_passages_come_in_their_order_both_ends_included(reading, book):
    outcome = call(GetChunks(), reading, wanted(book, 2, 4))
    assert orders(outcome) == [2, 3, 4]
    assert {passage.by for passage in outcome.passages} == {"order"}
    assert all(hit["score"] is None for hit in outcome.trace["hits"])


def test_a_range_is_capped(reading, book):
    assert orders(call(GetChunks(), reading, wanted(book, 5, 10**9))) == list(range(5, 25))
    assert orders(call(GetChunks(), reading, wanted(book, -3, 0))) == [0]


def test_a_range_that_runs_backwards_is_told_so(reading, book):
    assert "before start_order" in call(GetChunks(), reading, wanted(book, 4, 2)).problem


def test_a_file_of_another_thread_is_none(reach, ids):
    outcome = call(GetChunks(), reach, wanted(ids["secret.txt"], 0, 3))
    assert "no such file" in outcome.problem
