"""kill -9 of the model's process, in each state of an answer: one message, a plain sentence, and
the next question is answered by a new process."""

import os
import signal
import threading

import pytest

from tests.engines.real_models import chat_model
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.generation.service import GenerationService

pytestmark = pytest.mark.model

SECONDS = 60
LONG = "Remember this list of numbers: " + " ".join(map(str, range(110))) + ". Count aloud."
TITLE_SIZED = "Name three rivers of Europe."


@pytest.fixture(scope="module")
def engine():
    engine = LlamaCppEngine(chat_model(), context_tokens=2048, threads=0)
    engine.load()
    yield engine
    engine.close()


@pytest.fixture
def generation(engine, library, clock):
    service = GenerationService(engine, library, clock_ms=clock, window={"max_output_tokens": 24})
    yield service
    service.close()


@pytest.fixture
def thread(library):
    return library.create("A title").id


def kill(engine):
    os.kill(engine.child_pid, signal.SIGKILL)


def until(live, condition):
    now = live.snapshot()
    while not condition(now):
        before = now.version
        now = live.wait(before, SECONDS)
        assert now.version > before, now
    return now


def answer_and_kill(generation, engine, thread, question, condition):
    pending = generation.ask(thread, question)
    live = generation.live(pending.id)
    until(live, lambda now: condition(now) or now.done)
    kill(engine)
    return pending.id, until(live, lambda now: now.done)


def check_goes_on(generation, library, engine):
    thread = library.create("Another title").id
    pending = generation.ask(thread, "Say hello.")
    live = generation.live(pending.id)
    if live:
        until(live, lambda now: now.done)
    answer = library.message(thread, pending.id)
    assert (answer.status, bool(answer.text.strip())) == ("ready", True), answer.error


def test_while_the_prompt_is_read(generation, library, engine, thread):
    id, now = answer_and_kill(
        generation, engine, thread, LONG, lambda now: now.phase == "reading" and "of" in now.detail
    )
    answer = library.message(thread, id)
    assert (now.phase, answer.status, answer.text) == ("error", "error", "")
    assert "model's process ended" in answer.error and "Ask again" in answer.error
    assert len(library.view(thread).shown) == 2
    check_goes_on(generation, library, engine)


def test_while_the_answer_is_written(generation, library, engine, thread):
    id, now = answer_and_kill(generation, engine, thread, LONG, lambda now: len(now.text) > 4)
    answer = library.message(thread, id)
    if now.phase == "error":  # else it was quicker than the signal
        assert answer.text == now.text and len(answer.text) > 4
        assert "model's process ended" in answer.error
    assert len(library.view(thread).shown) == 2
    check_goes_on(generation, library, engine)


def test_while_another_waits_in_line_only_the_one_in_hand_fails(
    generation, library, engine, thread
):
    other = library.create("Another").id
    first = generation.live(generation.ask(thread, LONG).id)
    until(first, lambda now: now.phase == "reading" or now.done)
    waiting = generation.live(generation.ask(other, "Say hello.").id)
    kill(engine)
    until(first, lambda now: now.done)
    assert until(waiting, lambda now: now.done).phase == "ready"
    assert [message.message.status for message in library.view(other).shown] == ["ready"] * 2


def test_between_two_answers_nobody_notices(generation, library, engine, thread):
    check_goes_on(generation, library, engine)
    pid = engine.child_pid
    kill(engine)
    check_goes_on(generation, library, engine)
    assert engine.child_pid != pid


def test_while_it_loads_the_next_process_answers(generation, library, engine, thread):
    check_goes_on(generation, library, engine)
    kill(engine)
    pending = generation.ask(thread, "Say hello.")
    live, pause = generation.live(pending.id), threading.Event()
    while engine.describe().state == "ready" and not live.snapshot().done:
        pause.wait(0.002)
    if engine.describe().state == "loading" and engine.child_pid:
        kill(engine)
    until(live, lambda now: now.done)
    assert library.message(thread, pending.id).status in ("ready", "error")
    check_goes_on(generation, library, engine)


def test_while_a_title_is_made_the_first_words_stay(generation, library, engine):
    thread_id = library.create(TITLE_SIZED).id
    live = generation.live(generation.ask(thread_id, TITLE_SIZED).id)
    until(live, lambda now: now.done)
    pause = threading.Event()
    kill(engine)
    while generation.titles.expected(thread_id):
        pause.wait(0.005)
    assert library.thread(thread_id).title
    check_goes_on(generation, library, engine)
