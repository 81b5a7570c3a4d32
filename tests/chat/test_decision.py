"""A decision asked of the model, and read from whatever it replies."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.decision import (
    LONGEST_QUERY,
    SCHEMA,
    SHORT_SCHEMA,
    Decision,
    decision_in,
    decision_parts,
)

SAID = [("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello."), ("user", "How long?")]


def test_the_request_goes_on_from_the_conversation_in_the_turn_of_the_question():
    *before, (role, task) = decision_parts(SAID, ["lease.pdf"])
    assert before == SAID[:-1] and role == "user"
    assert task.startswith("How long?\n\n---\n") and task.endswith('\n"How long?"')
    assert '"lease.pdf"' in task


def test_many_and_odd_names_stay_short_and_on_one_line():
    names = ['a "quoted"\nname.txt', "x" * 500, *(f"{n}.txt" for n in range(30))]
    task = decision_parts(SAID, names)[-1][1]
    assert '"a \\"quoted\\" name.txt"' in task and "and 12 more" in task
    assert len(task) < 2500


def test_of_a_long_question_both_ends_are_repeated():
    long = "Begin. " + "word " * 1000 + "What does it cost?"
    task = decision_parts([("user", long)], ["a.txt"])[-1][1]
    repeated = task.rsplit("\n", 1)[1]
    assert repeated.startswith('"Begin.') and repeated.endswith('What does it cost?"')
    assert len(repeated) < 700


@pytest.mark.parametrize(
    ("reply", "decision"),
    [
        ('{"action": "answer_directly"}', Decision("answer")),
        ('{"action": "list_attachments"}', Decision("list_attachments")),
        (
            '{"action":"retrieve","query":" notice\\n period "}',
            Decision("retrieve", "notice period"),
        ),
        ('{"action": "retrieve", "query": ""}', Decision("retrieve")),
        ('{"action": "retrieve", "query": "?!"}', Decision("retrieve")),
        ('{"action": "retrieve", "query": 7}', Decision("retrieve")),
        ('{"action": "retrieve"}', Decision("retrieve")),
        ('{"action": "dance"}', Decision("retrieve")),
        ('{"action": ["retrieve"]}', Decision("retrieve")),
        ('{"action": "retrieve", "query": "noti', Decision("retrieve")),
        ("[]", Decision("retrieve")),
        ("", Decision("retrieve")),
        ("[" * 100_000, Decision("retrieve")),
    ],
)
def test_every_reply_is_a_decision(reply, decision):
    assert decision_in(reply) == decision


@given(st.text())
def test_no_reply_breaks_it(reply):
    assert decision_in(reply).action in {"answer", "retrieve", "list_attachments"}


def test_a_query_is_bounded():
    reply = json.dumps({"action": "retrieve", "query": "word " * 500})
    assert len(decision_in(reply).query) <= LONGEST_QUERY


def test_only_the_full_form_has_a_query():
    actions = [form["properties"]["action"]["const"] for form in SCHEMA["anyOf"]]
    assert actions == [form["properties"]["action"]["const"] for form in SHORT_SCHEMA["anyOf"]]
    assert [form["required"] for form in SCHEMA["anyOf"]].count(["action", "query"]) == 1
    assert all(form["required"] == ["action"] for form in SHORT_SCHEMA["anyOf"])
