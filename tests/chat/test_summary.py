"""Summaries as records on the tree."""

import json

import pytest

from tests.chat.windows import message
from webapp.chat.summary import (
    Line,
    Summary,
    amended,
    edited,
    failed_at,
    grown,
    kept_failure,
    kept_summary,
    removed,
    reverted,
    sent_text,
    summary_at,
)

NOTES = Summary(
    (Line("Ada likes rye.", ("a", "b")), Line("It is 5 o'clock.", ("c",))),
    (("a", "c"),),
    7,
    "small",
)


def test_a_record_on_disk_is_the_same_summary_again():
    record = json.loads(json.dumps(kept_summary(NOTES)))
    assert summary_at(message("c", **record)) == NOTES


@pytest.mark.parametrize(
    "record",
    [
        None,
        "text",
        {},
        {"lines": [], "spans": [["a", "b"]]},
        {"lines": [{"text": "x"}], "spans": []},
        {"lines": [{"text": 3}, None], "spans": [["a", "b"]]},
        {"lines": [{"text": "x"}], "spans": [["a"], "ab", [1, 2]]},
    ],
)
def test_a_record_that_cannot_be_read_is_none(record):
    assert summary_at(message("c", summary=record)) is None


def test_a_record_with_odd_fields_still_tells_its_lines():
    record = {
        "lines": [{"text": "x", "message_ids": [1, "a"]}],
        "spans": [["a", "b"]],
        "made_at": "",
    }
    assert summary_at(message("c", summary=record)) == Summary(
        (Line("x", ("a",)),), (("a", "b"),), 0, ""
    )


def test_an_edit_keeps_the_links_of_lines_that_are_still_there():
    changed = edited(NOTES, "- Ada likes wheat.\n\n  - It is 5 o'clock. \n-")
    assert changed.lines == (Line("Ada likes wheat."), NOTES.lines[1])
    assert changed.edited
    assert reverted(changed) == NOTES
    assert reverted(NOTES) == NOTES


def test_an_edit_back_is_no_edit():
    changed = edited(edited(NOTES, "other"), NOTES.text)
    assert changed == NOTES


def test_a_second_edit_still_knows_what_the_model_wrote():
    assert reverted(edited(edited(NOTES, "one"), "two")) == NOTES


def test_lines_that_come_from_muted_messages_alone_are_not_sent():
    assert "rye" in sent_text(NOTES, {"a"})
    assert "rye" not in sent_text(NOTES, {"a", "b"})
    assert sent_text(NOTES, {"a", "b", "c"}) == ""
    assert "by hand" in sent_text(edited(NOTES, "by hand"), {"a", "b", "c"})


def test_a_failure_is_remembered_until_there_is_a_summary_or_it_is_taken_away():
    failed = message("c", **kept_failure("no", 1, "small"))
    assert failed_at(failed)
    assert not failed_at(failed.with_metadata(kept_summary(NOTES)))
    assert not failed_at(failed.with_metadata(removed()))
    assert summary_at(message("c", **kept_summary(NOTES)).with_metadata(removed())) is None


def test_spans_grow_together_when_nothing_lies_between():
    assert grown((("a", "b"),), ("c", "d"), adjacent=True) == (("a", "d"),)
    assert grown((("a", "b"),), ("d", "e"), adjacent=False) == (("a", "b"), ("d", "e"))
    assert grown((), ("c", "d"), adjacent=True) == (("c", "d"),)


def test_notes_that_grew_meanwhile_carry_what_a_person_changed():
    read, later = NOTES, Line("They ask on.", ("d",))
    newer = Summary((*read.lines, later), (("a", "d"),), 8, "small")
    changed = edited(read, "- It is 5 o'clock.\n- Mine.")
    found = amended(newer, read, changed)
    assert found.lines == (NOTES.lines[1], Line("Mine."), later)
    assert (found.spans, found.original) == (newer.spans, newer.lines)
    assert reverted(found).lines == newer.lines
