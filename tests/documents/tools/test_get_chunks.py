import json

import pytest

from tests.documents.taking_in import SECONDS, add, open_documents
from webapp.chat.citations import citations
from webapp.documents.tools.get_chunks import GetChunks
from webapp.documents.tools.tool import Reach, call


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


def test_rows_from_the_middle_of_a_table_come_with_its_head(tmp_path):
    documents = open_documents(tmp_path)
    scope = documents.thread("t")
    rows = "".join(f"thing {number};{number},5\n" for number in range(200))
    file_id = add(documents, scope, "prices.csv", f"name;price\n{rows}").state.id
    assert all(each.is_ready for each in documents.wait_over(scope, SECONDS).files)
    asked = {"file_id": file_id, "start_order": 0, "end_order": 1}
    outcome = call(GetChunks(), Reach(documents, (scope,)), asked)
    top, middle = json.loads(outcome.text)["results"]
    assert "columns" not in top and top["text"].startswith("name | price")
    assert middle["columns"] == "name | price"
    [cited, *_] = citations(json.dumps({"results": [middle]}))
    assert cited.columns == "name | price"
    documents.close()
