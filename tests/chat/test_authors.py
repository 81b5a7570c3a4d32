import pytest

from webapp.chat.authors import asked_by, author, noted, unsigned
from webapp.chat.messages import Message


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ({"role": "user"}, "You"),
        ({"role": "system"}, "Instructions"),
        ({"role": "critic"}, "critic"),
        ({"role": ""}, "Unknown"),
        ({"role": "assistant"}, "Answer"),
        ({"role": "assistant", "metadata": {"usage": {"model": "/m/Qwen.gguf"}}}, "Qwen"),
        ({"role": "assistant", "metadata": {"usage": [1]}}, "Answer"),
    ],
)
def test_a_message_says_who_speaks(message, name):
    assert author(Message({"id": "x", **message})) == name


def test_a_question_keeps_who_asked_it_and_can_be_rid_of_that():
    plain = Message({"id": "q", "role": "user", "metadata": {"parentId": None}})
    signed = plain.with_metadata(noted("ann"))
    assert (asked_by(signed), asked_by(plain), noted("")) == ("ann", "", {})
    assert unsigned(signed) == plain
    assert unsigned(plain) is plain
    assert asked_by(plain.with_metadata({"askedBy": "../x"})) == ""
