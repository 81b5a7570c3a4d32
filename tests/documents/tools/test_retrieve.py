import json
from dataclasses import replace

from webapp.documents.retrieval import Search
from webapp.documents.tools.retrieve import Retrieve
from webapp.documents.tools.tool import call

QUERY = {"query": "How many days of notice does the contract have?"}


def test_results_carry_text_score_file_place_and_order(reach, ids):
    outcome = Retrieve().run(reach, QUERY)
    best = json.loads(outcome.text)["results"][0]
    assert best["text"] == "Either party may end this contract with ninety days of notice."
    assert (best["file_name"], best["file_id"]) == ("contract.txt", ids["contract.txt"])
    assert (best["id"], best["order"], best["place"]) == (f"{ids['contract.txt']}-0", 0, "line 1")
    assert best["score"] == round(outcome.passages[0].score, 4) > 0.2


def test_the_limit_is_the_maximum_of_the_schema_and_holds_all_the_same(reach):
    assert Retrieve().schema(2)["function"]["parameters"]["properties"]["top_k"]["maximum"] == 2
    one = replace(reach, search=Search(limit=1, threshold=0.0))
    assert len(call(Retrieve(), one, {**QUERY, "top_k": 20}).passages) == 1


def test_fewer_can_be_asked_for(reach):
    every = replace(reach, search=Search(limit=3, threshold=0.0))
    assert len(call(Retrieve(), every, QUERY).passages) == 2
    assert len(call(Retrieve(), every, {**QUERY, "top_k": 1}).passages) == 1


def test_the_trace_tells_what_the_threshold_took_away(reach):
    trace = Retrieve().run(reach, QUERY).trace
    kept = [hit["file"] for hit in trace["hits"] if hit["kept"]]
    assert (kept, trace["threshold"], trace["removed"]) == (["contract.txt"], 0.2, 1)
    [removed] = [hit for hit in trace["hits"] if not hit["kept"]]
    assert removed["file"] == "garden.txt" and removed["score"] < 0.2


def test_files_that_the_model_has_anyway_are_left_out(reach, ids):
    skipping = replace(reach, skipped=frozenset({ids["contract.txt"]}))
    assert Retrieve().run(skipping, QUERY).passages == ()
