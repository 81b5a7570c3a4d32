import pytest

from webapp.chat.authors import author
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
