import pytest

from tests.engines.engine_contract import ask, said
from tests.engines.test_openai_reply import chunk
from webapp.engines.engine import Finished, Reading, Text
from webapp.engines.openai_address import address_of
from webapp.engines.openai_answer import ENDED, OPENED, Answer, broken_off
from webapp.engines.openai_link import Link, Patience
from webapp.engines.openai_refusal import Refusal
from webapp.engines.openai_reply import BrokenAnswer
from webapp.engines.openai_trouble import Asked
from webapp.errors import EngineFailed


def answer(*signals, **request):
    link = Link(address_of("http://127.0.0.1:9"), "", Patience())
    answer = Answer(ask("Hi", **request), link, 5)
    for signal in signals:
        answer.inbox.put(signal)
    return answer


def test_reading_text_and_the_end_come_in_order():
    events = list(answer(OPENED, chunk(content="Hi"), chunk("stop"), ENDED).events())
    assert events[:-1] == [Reading(0, 5, 0), Reading(5, 5, 0), Text("Hi", 1)]
    assert (events[-1].reason, events[-1].output_tokens) == ("stop", 1)
    assert 0 <= events[-1].first_token_seconds <= events[-1].total_seconds


def test_the_word_done_ends_it_without_a_reason():
    assert list(answer(chunk(content="Hi"), "[DONE]").events())[-1].reason == "stop"


def test_nothing_at_all_before_the_word_done_is_an_empty_answer():
    assert [type(event) for event in answer(OPENED, "[DONE]").events()] == [Reading, Finished]


def test_a_server_that_does_not_say_it_is_done_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("webapp.engines.openai_answer._SECONDS_FOR_THE_END", 0.01)
    assert list(answer(chunk("length", content="Hi")).events())[-1].reason == "length"


def test_an_end_without_a_reason_is_a_fault():
    with pytest.raises(EngineFailed, match="ended in the middle"):
        list(answer(chunk(content="Hi"), ENDED).events())


def test_stop_strings_end_the_answer_whatever_the_server_does():
    events = list(answer(chunk(content="one ST"), chunk(content="OP two"), stop=("STOP",)).events())
    assert (said(events), events[-1].reason) == ("one ", "stop")


def test_what_was_kept_back_is_given_out_when_it_is_stopped():
    one = answer(chunk(content="one ST"), stop=("STOP",))
    one.cancel()
    events = list(one.events())
    assert (said(events), events[-1].reason) == ("one ST", "cancelled")


@pytest.mark.parametrize("fault", [EngineFailed("Gone."), '{"error": "Gone."}'])
def test_what_was_kept_back_is_given_out_before_a_fault(fault):
    events = answer(chunk(content="one ST"), fault, stop=("STOP",)).events()
    heard = [next(events) for _ in range(3)]
    assert said(heard) == "one ST"
    with pytest.raises((EngineFailed, BrokenAnswer), match="Gone"):
        next(events)


def test_a_stop_counts_once_and_ends_the_link():
    one = answer()
    one.cancel()
    one.cancel()
    assert [event.reason for event in one.events()] == ["cancelled"]
    assert one.link.aborted


def test_an_answer_that_was_filtered_or_only_calls_is_told():
    with pytest.raises(EngineFailed, match="filter"):
        list(answer(chunk("content_filter"), ENDED).events())
    call = {"index": 0, "function": {"name": "look"}}
    with pytest.raises(EngineFailed, match="look"):
        list(answer(chunk("tool_calls", tool_calls=[call]), ENDED).events())


def test_a_server_that_gives_up_is_told_in_its_words_without_the_key():
    error = broken_off(Refusal(500, "Bad luck, sk-1."), Asked("http://box", key="sk-1"))
    assert error.what == "The server at http://box broke off the answer: Bad luck, •••."
    assert "kept" in error.do


def test_calls_of_tools_that_were_offered_come_as_text_after_the_words():
    tool = {"type": "function", "function": {"name": "look"}}
    call = {"index": 0, "id": "1", "function": {"name": "look", "arguments": '{"a": 1}'}}
    signals = (chunk(content="Wait."), chunk("tool_calls", tool_calls=[call]), ENDED)
    events = list(answer(*signals, tools=(tool,)).events())
    expected = 'Wait.\n<tool_call>\n{"name": "look", "arguments": {"a": 1}}\n</tool_call>'
    assert said(events) == expected and events[-1].reason == "stop"
