"""Passages before a question: neighbours are one, and nothing of the file's text moves."""

import json

from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.messages import new_message
from webapp.documents.document import Place
from webapp.documents.passages import Passage
from webapp.generation.excerpts import (
    HEADING,
    Retrieved,
    listed,
    merged,
    shown,
)
from webapp.generation.sources import INLINED

TEXT = "The first sentence stands here. The second one follows. \n The third ends it all."


def passage(order, start, end, score=0.5, *, file="f1", **more):
    places = (Place(start, end, "page", str(order + 1), order + 1),)
    return Passage(
        f"{file}-{order}",
        file,
        order,
        TEXT[start:end],
        start,
        end,
        places,
        file_name=f"{file}.txt",
        score=score,
        **more,
    )


def message(id, *records):
    facts = {INLINED: list(records)}
    return new_message(id=id, thread_id="t", role="user", text="?", created_at=1, metadata=facts)


def test_neighbours_are_one_and_what_they_share_is_there_once():
    [one] = merged([passage(1, 20, 50, 0.9), passage(0, 0, 31, 0.4)])
    assert one.text == TEXT[:50]
    assert (one.order, one.last_order, one.start, one.end) == (0, 1, 0, 50)
    assert (one.score, one.place) == (0.9, "pp. 1–2")


def test_passages_apart_stay_apart_in_the_order_of_the_best_of_each():
    found = merged([passage(5, 60, 70, 0.8), passage(0, 0, 10, 0.6), passage(6, 66, 76, 0.3)])
    assert [(each.order, each.last_order) for each in found] == [(5, 6), (0, 0)]


def test_files_are_never_mixed_and_a_passage_is_there_once():
    found = merged([passage(0, 0, 9), passage(1, 9, 20, file="f2"), passage(0, 0, 9)])
    assert [each.file for each in found] == ["f1.txt", "f2.txt"]


@given(st.integers(1, 60), st.integers(0, 20), st.integers(1, 20))
def test_what_is_merged_is_as_long_as_its_place_in_the_file(middle, gap, more):
    second = passage(1, min(middle + gap, len(TEXT) - 1), min(middle + gap + more, len(TEXT)))
    for one in merged([passage(0, 0, middle), second]):
        assert len(one.text) == one.end - one.start


def test_a_passage_within_the_one_before_adds_nothing():
    [one] = merged([passage(0, 0, 40), passage(1, 10, 20)])
    assert (one.text, one.end) == (TEXT[:40], 40)


def test_a_passage_that_was_read_for_its_place_has_no_score():
    [one] = merged([passage(0, 0, 9, 0.0, by="order")])
    assert one.score is None


def test_the_model_reads_where_each_stands():
    text = shown(merged([passage(0, 0, 31)]))
    assert text.startswith(HEADING)
    assert "[f1.txt, p. 1]\nThe first sentence stands here." in text
    assert shown(()) == ""
    assert listed(["a.txt", "b.txt"]).endswith("\n- a.txt\n- b.txt")


def test_the_record_numbers_passages_and_whole_files_and_is_json():
    record = {"file_id": "w1", "name": "whole.txt", "content": "All of it."}
    got = Retrieved("", merged([passage(0, 0, 9)]), ({"tool": "retrieve"},)).record(
        [message("m", record)]
    )
    assert json.loads(json.dumps(got)) == got
    first, second = got["passages"]
    assert (first["n"], first["id"], first["file"]) == (1, "f1-0", "f1.txt")
    assert (second["n"], second["whole"], second["end"]) == (2, True, 10)
    assert got["trace"] == [{"tool": "retrieve"}]
    assert Retrieved().record([]) == {}


def test_the_head_of_a_table_stands_over_rows_from_its_middle():
    places = (Place(0, 60, "columns", "city | 2019 | 2020"), Place(0, 60, "rows", "7–8", 7))
    middle = Passage("a", "f", 1, "Porto | 5 | 6", 20, 33, places, file_name="c.csv")
    assert "[c.csv, rows 7–8]\nColumns: city | 2019 | 2020\nPorto | 5" in shown(merged([middle]))
    top = Passage("b", "f", 0, "city | 2019 | 2020\nPorto", 0, 24, places, file_name="c.csv")
    assert "Columns" not in shown(merged([top]))
    [kept] = merged([middle])
    assert type(kept).from_data(json.loads(json.dumps(kept.to_data()))) == kept
