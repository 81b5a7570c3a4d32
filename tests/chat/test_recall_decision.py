"""Whether a message needs what was said in earlier conversations."""

import json

import pytest

from webapp.chat.recall_decision import decision_parts, wanted_in


def test_the_request_ends_with_the_message_and_the_one_before_it():
    parts = decision_parts(["How old is my car?", "and its colour?"])
    assert parts[0][0] == "system" and "other conversations" in parts[0][1]
    assert parts[-1] == ("user", "Before: How old is my car?\nMessage: and its colour?")
    assert decision_parts(["Hello!"])[-1] == ("user", "Message: Hello!")


def test_a_long_message_is_cut_in_its_middle():
    [_, last] = decision_parts([f"first {'word ' * 1000} last"])[-1]
    assert len(last) < 700 and "first" in last and last.endswith("last")


def test_all_requests_begin_alike_so_that_they_are_read_once():
    one, other = decision_parts(["Hello!"]), decision_parts(["我的狗叫什么名字？"])
    assert one[:-1] == other[:-1]


def test_each_example_is_answered_in_a_reply_that_can_be_read():
    replies = [content for role, content in decision_parts(["x"]) if role == "assistant"]
    assert {bool(wanted_in(reply)) for reply in replies} == {True, False}


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ('{"action": "recall", "query": "name  of\\nmy dog"}', "name of my dog"),
        ('{"action": "recall"}', ""),
        ('{"action": "recall", "query": 5}', ""),
        ('{"action": "answer_directly"}', None),
        ('{"action": "retrieve", "query": "x"}', None),
        ('{"action": "recall", "qu', None),
        ("[]", None),
        ("", None),
    ],
)
def test_only_a_clear_wish_is_followed(reply, wanted):
    assert wanted_in(reply) == wanted


def test_a_query_is_bounded():
    assert len(wanted_in(json.dumps({"action": "recall", "query": "x" * 999}))) == 160
