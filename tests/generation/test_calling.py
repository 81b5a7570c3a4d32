"""What a call gets as its result, and what a reader is told meanwhile."""

import pytest

from webapp.chat.called import Called
from webapp.generation.calling import TOO_LONG, doing, fitted


def test_a_result_without_room_loses_its_last_passages_first():
    text = '{"results": ["one", "two", "three"]}'
    assert fitted(text, 100, len) == text
    assert fitted(text, 25, len) == '{"results": ["one"]}'


LONG = ('{"results": ["one"]}', '{"files": ["a", "b"]}', '{"error": "x"}')


@pytest.mark.parametrize("text", LONG)
def test_what_cannot_be_made_shorter_gives_way_to_a_sentence(text):
    assert TOO_LONG in fitted(text, 10, len)


def test_a_reader_is_told_each_kind_of_call_once():
    calls = [Called(str(n), name, {}) for n, name in enumerate(["retrieve", "retrieve", "dance"])]
    assert doing(calls) == "Searching the files; Answering a call of the model."
