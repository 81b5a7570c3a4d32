"""Titles come by themselves, once, and never over a person's own."""

import threading

import pytest

from tests.engines.real_models import chat_model
from webapp.chat import titles
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.script import TITLE, Fail, Reply, Say, Wait
from webapp.generation.service import GenerationService

QUESTION = "/title Why is there a tide twice a day?"


@pytest.fixture
def begun(library):
    """A thread as the page begins one: its title is the first words of its question."""
    return library.create(QUESTION).id


def answered(generation, thread_id, question=QUESTION):
    live = generation.live(generation.ask(thread_id, question).id)
    return live.wait_done(timeout=10) if live else None


def settled(generation, thread_id):
    """Once no title is expected any more."""
    done = threading.Event()
    while generation.titles.expected(thread_id):
        assert not done.wait(0.01)


def test_a_thread_gets_a_title_after_its_first_answer(generation, library, engine, begun):
    before = library.thread(begun)
    answered(generation, begun)
    settled(generation, begun)
    thread = library.thread(begun)
    assert (thread.title, thread.metadata["titledBy"]) == (TITLE, "model")
    [request] = engine.asides
    roles = [turn.role for turn in request.turns]
    assert roles == ["user", "assistant", "user"]
    assert request.turns[:1] == engine.requests[0].turns
    assert before.title.startswith("/title Why")
    assert library.past.changes(begun) == []


def test_only_the_first_answer_is_followed_by_one(generation, library, engine, begun):
    for question in (QUESTION, "And why not once?"):
        answered(generation, begun, question)
        settled(generation, begun)
    assert len(engine.asides) == 1


def test_a_title_that_a_person_gave_stays(generation, library, engine, begun):
    library.rename(begun, "Mine")
    answered(generation, begun)
    assert not generation.titles.expected(begun)
    assert library.thread(begun).title == "Mine"
    assert engine.asides == []


def test_a_title_that_a_person_gives_while_the_model_makes_one_stays(
    generation, library, engine, begun
):
    engine.queue(Reply((Say("words "), Wait(release := threading.Event()))))
    pending = generation.ask(begun, QUESTION)
    live = generation.live(pending.id)
    library.rename(begun, "Mine")
    release.set()
    assert live.wait_done(timeout=10).done
    settled(generation, begun)
    assert library.thread(begun).title == "Mine"


def test_when_the_model_has_none_the_first_words_stay_and_it_is_not_asked_again(
    generation, library, engine
):
    question = "Why is there a tide twice a day?"
    thread_id = library.create(question).id
    for each in (question, "And why not once?"):
        answered(generation, thread_id, each)
        settled(generation, thread_id)
    assert library.thread(thread_id).title == question
    assert len(engine.asides) == 1


def test_an_answer_that_failed_is_followed_by_none_but_the_next_good_one_is(
    generation, library, engine, begun
):
    engine.queue(Reply((Fail(),)))
    answered(generation, begun)
    settled(generation, begun)
    assert engine.asides == []
    answered(generation, begun, "again")
    settled(generation, begun)
    assert library.thread(begun).title == TITLE


def test_a_thread_that_was_brought_in_with_a_title_keeps_it(generation, library, engine):
    thread_id = library.create("A title of its own").id
    answered(generation, thread_id)
    assert not generation.titles.expected(thread_id)
    assert library.thread(thread_id).title == "A title of its own"
    assert engine.asides == []


def test_a_thread_that_goes_to_the_trash_meanwhile_harms_nothing(
    generation, library, engine, begun
):
    answered(generation, begun)
    generation.delete_thread(begun)
    settled(generation, begun)
    other = library.create(QUESTION).id
    answered(generation, other)
    settled(generation, other)
    assert library.thread(other).title == TITLE


@pytest.mark.model
def test_the_starter_model_names_the_subject_and_reads_nothing_of_the_conversation_again(
    library, clock
):
    """A model as small may fail to name one subject; not all three."""
    engine = LlamaCppEngine(chat_model(), context_tokens=2048, threads=0)
    told = []

    def generate(request):
        for event in original(request):
            told.append((request.id, event))
            yield event

    original, engine.generate = engine.generate, generate
    service = GenerationService(engine, library, clock_ms=clock, window={"max_output_tokens": 80})
    named = []
    try:
        for question in (
            "How do I reverse a list in Python?",
            "Explain in two sentences why there is a tide twice a day.",
            "Write me a haiku about snow.",
        ):
            thread_id = library.create(question).id
            live = service.live(service.ask(thread_id, question).id)
            assert live.wait_done(timeout=60).phase == "ready"
            settled(service, thread_id)
            named.append(library.thread(thread_id))
            if named[-1].metadata["titledBy"] == "model":
                break
    finally:
        service.close()
        engine.close()
    assert named[-1].metadata["titledBy"] == "model", [thread.title for thread in named]
    assert titles.title_in(named[-1].title) == named[-1].title != ""
    reading = next(event for id, event in told if id.startswith("title-"))
    assert reading.total - reading.reused < 60


def test_an_answer_that_is_stopped_in_the_line_is_not_waited_for(
    generation, library, engine, begun
):
    engine.queue(Reply((Say("first "), Wait(release := threading.Event()))))
    first = generation.live(generation.ask(library.create("Another").id, "hold").id)
    while not first.snapshot().text:
        first.wait(first.snapshot().version, timeout=10)
    waiting = generation.ask(begun, QUESTION)
    assert generation.titles.expected(begun)
    generation.stop(waiting.id)
    assert not generation.titles.expected(begun)
    release.set()
    assert first.wait_done(timeout=10).done
