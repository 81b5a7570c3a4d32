"""A decision asked of the model, and read from whatever it replies."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.deciding import LONGEST_QUERY
from webapp.chat.decision import (
    SCHEMA,
    SHORT_SCHEMA,
    Decision,
    decision_in,
    decision_parts,
)

ASKED = ["What is the deposit?", "How long?"]


def test_all_requests_begin_with_the_same_words():
    one, other = decision_parts(ASKED, ["lease.pdf"]), decision_parts(["Hi"], ["a.txt", "b.txt"])
    assert one[:-1] == other[:-1] and len(one) > 10
    assert one[-1] == ("user", "Files: lease.pdf\nBefore: What is the deposit?\nMessage: How long?")
    assert other[-1] == ("user", "Files: a.txt, b.txt\nMessage: Hi")


def test_roles_alternate_and_the_examples_are_replies_that_can_be_read():
    system, *turns = decision_parts(ASKED, ["lease.pdf"])
    assert system[0] == "system"
    assert [role for role, _ in turns] == ["user", "assistant"] * (len(turns) // 2) + ["user"]
    actions = {decision_in(text).action for role, text in turns if role == "assistant"}
    assert actions == {"answer", "retrieve", "list_attachments"}


def test_many_and_odd_names_stay_short_and_on_one_line():
    names = ["a\nname.txt", "x" * 500, *(f"{n}.txt" for n in range(30))]
    message = decision_parts(ASKED, names)[-1][1]
    assert message.startswith("Files: a name.txt, x") and "and 12 more" in message
    assert len(message) < 1000 and len(message.splitlines()) == 3


def test_of_a_long_message_both_ends_are_told():
    long = "Begin. " + "word " * 1000 + "What does it cost?"
    message = decision_parts([long, long], ["a.txt"])[-1][1]
    _, before, last = message.splitlines()
    assert last.startswith("Message: Begin.") and last.endswith("What does it cost?")
    assert len(last) < 700 and len(before) < 300


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
