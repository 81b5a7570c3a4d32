import threading

import pytest

from tests.engines.engine_contract import DECISION, EngineContract, Listener, ask, said
from webapp.engines.engine import Finished, Reading, Request, Text, Turn
from webapp.engines.script import Fail, Reply, Say, Wait
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import EngineFailed


class TestScripted(EngineContract):
    SLOW_TO_READ = "/wait"
    SLOW_TO_WRITE = "/slow /long"
    ECHO = "/echo {}"

    @pytest.fixture
    def engine(self):
        engine = ScriptedEngine()
        yield engine
        engine.close()

    @pytest.fixture
    def new_engine(self):
        return ScriptedEngine


@pytest.fixture
def engine():
    engine = ScriptedEngine()
    yield engine
    engine.close()


def test_replies_are_given_in_the_order_they_were_written(engine):
    engine.queue("First.", "Second.")
    assert [said(engine.generate(ask("?"))) for _ in range(2)] == ["First.", "Second."]
    assert "You asked: **?**" in said(engine.generate(ask("?", max_tokens=99)))


def test_a_reply_waits_for_its_event_and_goes_on(engine):
    go_on = threading.Event()
    engine.queue(Reply((Say("Before. "), Wait(go_on), Say("After."))))
    listener = Listener(engine, ask("?"))
    listener.wait_for(Text)
    assert said(listener.events) == "Before. "
    go_on.set()
    assert said(listener.end()) == "Before. After."


def test_reading_can_be_held_too(engine):
    go_on = threading.Event()
    engine.queue(Reply((Say("Read."),), reading=(Wait(go_on),)))
    listener = Listener(engine, ask("?"))
    assert listener.wait_for(Reading).done == 0
    go_on.set()
    assert said(listener.end()) == "Read."


def test_a_reply_fails_with_its_sentence_and_the_text_before_stays(engine):
    engine.queue(Reply((Say("Some text "), Fail("The cable was pulled.", "Plug it in."))))
    listener = Listener(engine, ask("?"))
    assert said(listener.end()) == "Some text "
    assert str(listener.error) == "The cable was pulled. Plug it in."


def test_what_was_asked_is_kept_for_tests(engine):
    request = ask("A question")
    list(engine.generate(request))
    engine.embed(["x"], "query")
    assert engine.requests == [request]
    assert engine.embedded == [("query", ("x",))]


def test_a_decision_takes_nothing_from_the_script(engine):
    engine.queue("The answer.")
    request = ask("/files", max_tokens=9, schema=DECISION)
    assert said(engine.generate(request)) == '{"action": "list_attachments"}'
    assert (engine.asides, engine.requests) == ([request], [])
    assert said(engine.generate(ask("/files"))) == "The answer."


def test_a_call_is_made_until_a_result_is_there(engine):
    asked = Turn("user", '/call {"name": "look"} What is new?')
    call = said(engine.generate(Request("r", (asked,))))
    assert call == '<tool_call>\n{"name": "look"}\n</tool_call>'
    turns = (asked, Turn("assistant", call), Turn("tool", "Nothing."))
    assert "You asked: **What is new?**" in said(engine.generate(Request("r", turns)))


def test_closing_ends_an_answer_as_stopped(engine):
    listener = Listener(engine, ask("/hold", max_tokens=99))
    listener.wait_for(Text)
    engine.close()
    assert isinstance(listener.end()[-1], Finished)
    assert listener.events[-1].reason == "cancelled"


def test_a_failed_answer_makes_room_for_the_next(engine):
    with pytest.raises(EngineFailed):
        list(engine.generate(ask("/refuse")))
    assert said(engine.generate(ask("Hello")))


def test_texts_that_share_words_point_the_same_way(engine):
    one, near, far = engine.embed(["red apple", "red apple pie", "tax form"], "passage")
    assert dot(one, near) > 0.5 > dot(one, far)


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))
