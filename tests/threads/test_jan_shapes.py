"""What Jan keeps in other ways comes in the way it is kept here; the rest stays to the byte."""

import pytest

from webapp.chat.messages import Message, Thread
from webapp.threads.jan_shapes import message_as_kept, thread_as_kept


def message(*parts, **more):
    return Message({"id": "a", "role": "assistant", "content": list(parts), **more})


def text(value):
    return {"type": "text", "text": {"value": value, "annotations": []}}


@pytest.mark.parametrize(
    "same",
    [
        message(text("a"), text("b"), created_at=1735700000123),
        message({"type": "tool_call", "tool_name": "x"}),
        message(3, None, created_at="x", completed_at=True),
        Message({"id": "a", "role": "user", "content": "plain"}),
        Message({"id": "a", "role": "user"}),
    ],
)
def test_what_is_the_same_stays(same):
    assert message_as_kept(same) == same


def test_thinking_stands_where_it_was_and_parts_stay():
    thinking = {"type": "reasoning", "text": {"value": " Hm. "}}
    call, odd = {"type": "tool_call"}, {"type": "reasoning", "text": 3}
    kept = message_as_kept(message(thinking, text("A"), call, odd, thinking, text("B")))
    assert kept.text == "<think>\nHm.\n</think>\n\nA\n\n<think>\nHm.\n</think>\n\nB"
    assert kept.data["content"][1:] == [call]
    assert message_as_kept(kept) == kept


def test_a_picture_is_named_and_kept():
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    kept = message_as_kept(message(text("See"), picture))
    assert kept.text == "See\n\n[A picture]"
    assert kept.data["content"][1:] == [picture]


def test_times_come_in_our_units():
    kept = message_as_kept(message(created_at=1735700000, completed_at=1735700001.5))
    assert (kept.data["created_at"], kept.data["completed_at"]) == (1735700000000, 1735700001500)
    for created in (1735700000, 1735700000000):
        assert thread_as_kept(Thread({"id": "t", "created": created})).created == 1735700000
    odd = Thread({"id": "t", "created": "x", "updated": True})
    assert thread_as_kept(odd) == odd
    assert message_as_kept(message(created_at=0)).data["created_at"] == 0
