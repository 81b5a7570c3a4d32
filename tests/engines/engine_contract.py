"""What every engine promises. A subclass gives the engine and questions that take their time."""

import json
import math
import queue
import threading
import time
from typing import ClassVar

import pytest

from webapp.engines.engine import Finished, Reading, Request, Sampling, Text, Turn
from webapp.errors import EngineFailed

GREEDY = Sampling(temperature=0.0)
PATIENCE = 60.0
ACTIONS = ("answer_directly", "retrieve", "list_attachments")
DECISION = {
    "type": "object",
    "properties": {
        "action": {"enum": list(ACTIONS)},
        "query": {"type": "string", "maxLength": 60},
    },
    "required": ["action"],
    "additionalProperties": False,
}
TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look into the files.",
        "parameters": {"type": "object", "properties": {"words": {"type": "string"}}},
    },
}


def ask(text, *, id="r", max_tokens=6, stop=(), sampling=GREEDY, **more):
    return Request(id, (Turn("user", text),), max_tokens, sampling, stop, **more)


def until(true):
    """Wait for something that another thread or process brings about."""
    tick, before = threading.Event(), time.monotonic()
    while not true():
        assert time.monotonic() - before < PATIENCE
        tick.wait(0.02)


def said(events):
    return "".join(event.piece for event in events if isinstance(event, Text))


class Listener:
    """Reads one answer in a thread of its own."""

    def __init__(self, engine, request):
        self.events = []
        self.error = None
        self._arrived = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, args=(engine, request))
        self._thread.start()

    def _read(self, engine, request):
        try:
            for event in engine.generate(request):
                self.events.append(event)
                self._arrived.put(event)
        except EngineFailed as error:
            self.error = error
        self._arrived.put(None)

    def wait_for(self, kind):
        while (event := self._arrived.get(timeout=PATIENCE)) is not None:
            if isinstance(event, kind):
                return event
        raise AssertionError(f"it ended without {kind}: {self.events}, {self.error}")

    def end(self):
        """All events, once it is over."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.events


class EngineContract:
    """Fixtures a subclass needs: `engine`, shared by the tests, and `new_engine()`, one to close.

    `SLOW_TO_READ` keeps it reading and `SLOW_TO_WRITE` writing for seconds; `ECHO` with a text
    put in makes it say the text."""

    SLOW_TO_READ: ClassVar[str]
    SLOW_TO_WRITE: ClassVar[str]
    ECHO: ClassVar[str]

    def cancelled_in_time(self, engine, listener, record_property):
        before = time.monotonic()
        engine.cancel("slow")
        events = listener.end()
        seconds = time.monotonic() - before
        record_property("seconds_to_stop", seconds)
        assert seconds < 1.0
        assert events[-1].reason == "cancelled"
        return events

    def test_events_come_in_order_and_the_counts_agree(self, engine):
        request = ask("Name a colour.")
        events = list(engine.generate(request))
        kinds = [type(event) for event in events]
        readings = [event for event in events if isinstance(event, Reading)]
        assert kinds == sorted(kinds, key=[Reading, Text, Finished].index)
        assert [event.done for event in readings] == sorted(event.done for event in readings)
        assert readings[-1].done == readings[-1].total == engine.count(request.turns)
        assert events[-1].prompt_tokens == readings[-1].total
        assert events[-1].reused_tokens == readings[-1].reused
        texts = [event.tokens for event in events if isinstance(event, Text)]
        assert texts
        assert texts == sorted(texts)
        assert 0 < events[-1].output_tokens <= request.max_tokens
        assert 0 <= events[-1].first_token_seconds <= events[-1].total_seconds

    def test_only_whole_characters_are_given_out(self, engine):
        events = list(engine.generate(ask(self.ECHO.format("漢字🦊"), max_tokens=12)))
        assert "漢字🦊" in said(events)
        for event in events:
            if isinstance(event, Text):
                assert "\ufffd" not in event.piece
                event.piece.encode("utf-8")

    def test_an_answer_ends_at_max_tokens(self, engine):
        events = list(engine.generate(ask(self.SLOW_TO_WRITE, max_tokens=3)))
        assert (events[-1].reason, events[-1].output_tokens) == ("length", 3)

    @pytest.mark.parametrize("max_tokens", [0, -1])
    def test_no_room_gives_no_text(self, engine, max_tokens):
        events = list(engine.generate(ask("Name a colour.", max_tokens=max_tokens)))
        assert said(events) == ""
        assert events[-1].reason == "length"

    def test_a_stop_string_ends_the_answer_and_is_left_out(self, engine):
        whole = said(engine.generate(ask(self.SLOW_TO_WRITE)))
        stop = whole[4:7]
        events = list(engine.generate(ask(self.SLOW_TO_WRITE, stop=(stop,), max_tokens=40)))
        assert said(events) == whole[: whole.index(stop)]
        assert events[-1].reason == "stop"

    def test_the_same_prompt_is_not_read_twice(self, engine):
        first = list(engine.generate(ask("Name another colour.", max_tokens=2)))[-1]
        again = list(engine.generate(ask("Name another colour.", max_tokens=2)))[-1]
        assert first.prompt_tokens == again.prompt_tokens
        assert again.reused_tokens == again.prompt_tokens - 1

    def test_stop_is_heard_while_reading(self, engine, record_property):
        listener = Listener(engine, ask(self.SLOW_TO_READ, id="slow"))
        reading = listener.wait_for(Reading)
        assert reading.done < reading.total
        events = self.cancelled_in_time(engine, listener, record_property)
        assert said(events) == ""

    def test_stop_is_heard_while_writing_and_keeps_the_text(self, engine, record_property):
        listener = Listener(engine, ask(self.SLOW_TO_WRITE, id="slow", max_tokens=300))
        listener.wait_for(Text)
        events = self.cancelled_in_time(engine, listener, record_property)
        assert said(events)
        assert events[-1].output_tokens >= 1

    def test_stop_is_heard_while_waiting(self, engine, record_property):
        first = Listener(engine, ask(self.SLOW_TO_WRITE, id="first", max_tokens=300))
        first.wait_for(Text)
        waiting = Listener(engine, ask("Name a colour.", id="slow"))
        events = self.cancelled_in_time(engine, waiting, record_property)
        assert [type(event) for event in events] == [Finished]
        assert first.error is None
        engine.cancel("first")
        assert first.end()[-1].reason == "cancelled"

    def test_stop_before_the_first_event_is_heard(self, engine):
        events = engine.generate(ask("Name a colour.", id="early"))
        engine.cancel("early")
        assert [event.reason for event in events] == ["cancelled"]

    def test_stopping_what_nobody_knows_does_nothing(self, engine):
        engine.cancel("nobody")
        assert said(engine.generate(ask("Name a colour.", id="somebody")))

    def test_an_answer_nobody_reads_on_makes_room_for_the_next(self, engine):
        events = engine.generate(ask(self.SLOW_TO_WRITE, max_tokens=300))
        while not isinstance(next(events), Text):
            pass
        events.close()
        assert said(engine.generate(ask("Name a colour.")))

    def test_two_who_ask_at_once_both_get_their_whole_answer(self, engine):
        alone = [said(engine.generate(ask(f"Repeat: {word}"))) for word in ("tree", "river")]
        listeners = [
            Listener(engine, ask(f"Repeat: {word}", id=word)) for word in ("tree", "river")
        ]
        assert [said(listener.end()) for listener in listeners] == alone

    def test_a_prompt_that_does_not_fit_is_told_with_both_numbers(self, engine):
        turns = (Turn("user", "word " * 12_000),)
        total, context = engine.count(turns), engine.describe().context_tokens
        with pytest.raises(EngineFailed) as told:
            list(engine.generate(Request("long", turns)))
        assert f"{total:,}" in told.value.what
        assert f"{context:,}" in told.value.what
        assert told.value.do

    def test_odd_characters_do_no_harm(self, engine):
        odd = "a\0b\ud800c\ufdd0\r\n\u202e"
        assert said(engine.generate(ask(f"Repeat: {odd}")))
        assert len(engine.embed([odd], "passage")) == 1

    @pytest.mark.parametrize(
        "sampling",
        [GREEDY, Sampling(seed=3), Sampling(temperature=1.5, top_k=0, repeat_penalty=1.5, seed=4)],
        ids=repr,
    )
    @pytest.mark.parametrize("question", ["How are you?", "What is in my files about rye bread?"])
    def test_an_answer_with_a_schema_fits_it(self, engine, question, sampling):
        request = ask(question, max_tokens=120, sampling=sampling, schema=DECISION)
        events = list(engine.generate(request))
        decision = json.loads(said(events))
        assert events[-1].reason == "stop"
        assert decision.pop("action") in ACTIONS
        assert len(decision.pop("query", "")) <= 60
        assert decision == {}

    def test_an_answer_with_a_schema_ends_at_max_tokens_too(self, engine):
        events = list(engine.generate(ask("How are you?", max_tokens=1, schema=DECISION)))
        assert (events[-1].reason, events[-1].output_tokens) == ("length", 1)

    def test_a_schema_binds_only_its_own_answer(self, engine):
        plain = said(engine.generate(ask("Name a colour.")))
        list(engine.generate(ask("How are you?", max_tokens=60, schema=DECISION)))
        assert said(engine.generate(ask("Name a colour."))) == plain

    @pytest.mark.parametrize("schema", [{"enum": [object()]}, {"enum": ["x" * 50_000]}, [1]])
    def test_what_is_no_schema_is_told_and_the_next_question_works(self, engine, schema):
        with pytest.raises(EngineFailed, match="schema") as told:
            list(engine.generate(ask("How are you?", schema=schema)))
        assert told.value.do
        assert said(engine.generate(ask("Name a colour.")))

    def test_tools_stand_in_the_prompt_as_they_are_counted(self, engine):
        request = ask("How are you?", tools=(TOOL,))
        events = list(engine.generate(request))
        reading = [event for event in events if isinstance(event, Reading)][-1]
        assert reading.total == engine.count(request.turns, request.tools)
        assert reading.total > engine.count(request.turns)

    def test_more_words_and_tools_count_more(self, engine):
        short, long = (Turn("user", "One."),), (Turn("user", "One two three four five."),)
        tool = {"type": "function", "function": {"name": "look", "parameters": {}}}
        assert 0 < engine.count(short) < engine.count(long)
        assert engine.count(short) < engine.count(short, [tool])

    def test_vectors_have_unit_length_and_come_in_the_order_of_the_texts(self, engine):
        texts = ["The cat sleeps.", "Taxes are due in May.", "漢字"]
        together = engine.embed(texts, "passage")
        alone = [engine.embed([text], "passage")[0] for text in texts]
        for one, other in zip(together, alone, strict=True):
            assert one == pytest.approx(other, abs=1e-5)
            assert math.hypot(*one) == pytest.approx(1.0, abs=1e-6)
        assert together[0] != pytest.approx(together[1], abs=0.01)

    def test_no_texts_give_no_vectors(self, engine):
        assert engine.embed([], "query") == []

    def test_white_space_around_a_text_and_decomposed_letters_change_nothing(self, engine):
        one, other = engine.embed(["caf\u00e9 au lait", " cafe\u0301 au lait\n"], "query")
        assert one == pytest.approx(other, abs=1e-6)

    @pytest.mark.parametrize("empty", ["", " \n\t "])
    def test_a_text_without_words_is_named(self, engine, empty):
        with pytest.raises(EngineFailed, match="Text 1 "):
            engine.embed(["words", empty], "passage")

    def test_a_text_too_long_to_embed_is_named_with_its_length_and_never_cut(self, engine):
        with pytest.raises(EngineFailed, match=r"Text 1 has [\d,]{3,} tokens.* 512"):
            engine.embed(["words", "many words " * 600], "passage")
        assert engine.embed(["words"], "passage")

    def test_texts_are_embedded_while_answers_are_made(self, engine):
        listener = Listener(engine, ask(self.SLOW_TO_WRITE, max_tokens=12))
        listener.wait_for(Text)
        vectors = engine.embed(["one", "two", "three"], "passage")
        assert len(vectors) == 3
        assert listener.end()[-1].reason == "length"

    def test_a_closed_engine_says_so(self, new_engine):
        engine = new_engine()
        engine.close()
        engine.close()
        for use in (
            lambda: list(engine.generate(ask("Name a colour."))),
            lambda: engine.embed(["words"], "query"),
        ):
            with pytest.raises(EngineFailed) as told:
                use()
            assert told.value.do
