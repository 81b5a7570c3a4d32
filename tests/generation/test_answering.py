"""From a plan to the last event."""

import pytest

from webapp.engines.script import Fail, Reply, Say
from webapp.engines.scripted import ScriptedEngine
from webapp.generation.service import GenerationService

TOO_LONG = Fail("This model's maximum context length is 300 tokens.", "Shorten it.")


@pytest.fixture
def engine():
    engine = ScriptedEngine(context_tokens=4000)
    yield engine
    engine.close()


def conversation(generation, library, engine, turns=8):
    thread = library.create("A title").id
    for number in range(turns):
        engine.queue(f"answer {number} " + "word " * 20)
        finished(generation, generation.ask(thread, f"question {number}"))
    return thread


def finished(generation, pending):
    live = generation.live(pending.id)
    return live.wait_done(timeout=10) if live else None


def test_an_engine_that_counts_otherwise_is_asked_once_more_with_less(generation, library, engine):
    thread = conversation(generation, library, engine)
    engine.queue(Reply((TOO_LONG,)), "it fits now")
    pending = generation.ask(thread, "last")
    finished(generation, pending)
    answer = library.message(thread, pending.id)
    assert (answer.status, answer.text) == ("ready", "it fits now")
    first, second = engine.requests[-2:]
    assert len(second.turns) < len(first.turns)
    assert second.turns[-1] == first.turns[-1]
    assert answer.metadata["usage"]["left_out"] > 0


def test_only_once(generation, library, engine):
    thread = conversation(generation, library, engine, turns=3)
    engine.queue(Reply((TOO_LONG,)), Reply((TOO_LONG,)))
    pending = generation.ask(thread, "last")
    finished(generation, pending)
    answer = library.message(thread, pending.id)
    assert answer.status == "error" and "maximum context length" in answer.error


def test_words_that_were_written_already_are_not_thrown_away_for_another_try(
    generation, library, engine
):
    thread = conversation(generation, library, engine, turns=1)
    engine.queue(Reply((Say("half "), TOO_LONG)))
    pending = generation.ask(thread, "last")
    finished(generation, pending)
    answer = library.message(thread, pending.id)
    assert (answer.status, answer.text) == ("error", "half ")


def test_a_muted_question_is_refused_with_a_sentence(generation, library, engine):
    thread = conversation(generation, library, engine, turns=1)
    question = library.path(thread)[0].id
    library.marks.mute(thread, question, on=True)
    pending = generation.answer(thread, question)
    finished(generation, pending)
    assert "muted" in library.message(thread, pending.id).error


def test_it_works_over_a_service_of_its_own(library, clock):
    engine = ScriptedEngine()
    service = GenerationService(engine, library, clock_ms=clock)
    thread = library.create("t").id
    pending = service.ask(thread, "hello")
    finished(service, pending)
    service.close()
    assert library.message(thread, pending.id).status == "ready"
