"""A question to the model in the middle of an answer."""

import threading

import pytest

from webapp.chat.messages import new_message
from webapp.engines.engine import Request
from webapp.engines.engine import Turn as Said
from webapp.engines.script import Fail, Reply, Say, Wait
from webapp.errors import EngineFailed
from webapp.generation.asides import aside
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.line import Run
from webapp.generation.turn import Halt, Turn

REQUEST = Request("a1", (Said("user", "hello"),))


@pytest.fixture
def run():
    answer = new_message(id="a1", thread_id="t", role="assistant", text="", created_at=1)
    return Run(answer, LiveAnswer("t", "a1"), Turn(0))


def test_it_gives_all_words(engine, run):
    engine.queue("yes it is")
    assert aside(engine, REQUEST, run) == "yes it is"


def test_an_answer_that_was_stopped_ends_it(engine, run):
    engine.queue(Reply((Say("yes "), Wait(threading.Event()))))
    run.turn.receive(Halt(), 0)
    assert aside(engine, REQUEST, run) is None


def test_a_stop_of_the_request_ends_it(engine, run):
    engine.queue(Reply((Say("yes "), Wait(threading.Event()))))
    stopper = threading.Timer(0.05, engine.cancel, ("a1",))
    stopper.start()
    assert aside(engine, REQUEST, run) is None
    stopper.join()


def test_a_model_that_fails_says_so(engine, run):
    engine.queue(Reply((Fail(),)))
    with pytest.raises(EngineFailed):
        aside(engine, REQUEST, run)
