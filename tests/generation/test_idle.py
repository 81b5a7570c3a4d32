"""Jobs wait until nobody does, give way, and are done once."""

import threading

import pytest

from webapp.engines.engine import Request, Turn
from webapp.engines.script import Fail, Reply, Say, Wait
from webapp.errors import EngineFailed
from webapp.generation.idle import ATTEMPTS, IdleWork

SECONDS = 10


class Job:
    def __init__(self, key="job", enough=lambda text: False, trouble=None):
        self.key = key
        self.results = []
        self.asked = 0
        self.over = threading.Event()
        self._enough = enough
        self._trouble = trouble

    def request(self):
        self.asked += 1
        if self._trouble:
            raise self._trouble
        return Request(self.key, (Turn("user", self.key),))

    def enough(self, text):
        return self._enough(text)

    def done(self, text):
        self.results.append(text)
        self.over.set()


class Quiet:
    def __init__(self, quiet=True):
        self.quiet = quiet

    def __call__(self):
        return self.quiet


@pytest.fixture
def quiet():
    return Quiet()


@pytest.fixture
def idle(engine, quiet):
    idle = IdleWork(engine, quiet)
    yield idle
    idle.close()


def test_a_job_is_done_and_gets_the_words(idle, engine):
    engine.queue("some words")
    job = Job()
    idle.add(job)
    assert job.over.wait(SECONDS)
    assert job.results == ["some words"]


def test_jobs_wait_until_it_is_quiet_and_go_in_order(idle, engine, quiet):
    quiet.quiet = False
    first, second = Job("first"), Job("second")
    idle.add(first)
    idle.add(second)
    assert idle.pending("first") and engine.requests == []
    quiet.quiet = True
    idle.look()
    assert first.over.wait(SECONDS) and second.over.wait(SECONDS)
    assert [request.id for request in engine.requests] == ["first", "second"]


def test_of_two_with_one_key_only_the_first_is_done(idle, quiet):
    quiet.quiet = False
    first, same, after = Job("same"), Job("same"), Job("after")
    for job in (first, same, after):
        idle.add(job)
    quiet.quiet = True
    idle.look()
    assert after.over.wait(SECONDS)
    assert (len(first.results), same.results) == (1, [])


def test_one_that_comes_while_the_words_of_its_like_are_taken_is_done_too(idle, engine):
    engine.queue("first words", "next words")
    first, later, known = Job("same"), Job("same"), []

    def done(text):
        idle.add(later)
        known.extend([idle.jobs(), idle.pending("same")])
        Job.done(first, text)

    first.done = done
    idle.add(first)
    assert later.over.wait(SECONDS)
    assert (first.results, later.results) == (["first words"], ["next words"])
    assert known == [("same",), True]


def test_a_job_is_pending_until_its_words_are_taken(idle):
    job, known = Job(), []

    def done(text):
        known.extend([idle.jobs(), idle.pending("job")])
        Job.done(job, text)

    job.done = done
    idle.add(job)
    assert job.over.wait(SECONDS)
    assert known == [("job",), True]


def test_a_job_that_is_broken_off_is_done_later(idle, engine, quiet):
    begun = threading.Event()
    engine.queue(Reply((Say("half "), Wait(threading.Event()))), "whole")
    job = Job(enough=lambda text: begun.set() or False)
    idle.add(job)
    assert begun.wait(SECONDS)
    quiet.quiet = False
    idle.break_off()
    assert not job.over.wait(0.1)
    quiet.quiet = True
    idle.look()
    assert job.over.wait(SECONDS)
    assert job.results == ["whole"]
    assert job.asked == 2


def test_one_that_is_broken_off_again_and_again_is_let_go(idle, engine, quiet):
    job = Job(enough=lambda text: idle.break_off() or False)
    engine.queue(*[Reply((Say("half "), Wait(threading.Event()), Say("x")))] * ATTEMPTS)
    idle.add(job)
    assert job.over.wait(SECONDS)
    assert (job.results, job.asked) == ([None], ATTEMPTS)
    assert not idle.pending("job")


def test_words_that_will_do_end_the_request(idle, engine):
    engine.queue(Reply((Say("one two three "), Wait(threading.Event()))), "next")
    job, after = Job(enough=lambda text: "two" in text), Job("after")
    idle.add(job)
    idle.add(after)
    assert after.over.wait(SECONDS)
    assert job.results == ["one two "]


@pytest.mark.parametrize(
    "trouble", [EngineFailed("No model.", do="Get one."), RuntimeError("a fault")]
)
def test_trouble_gives_no_words_and_the_next_job_is_done(idle, engine, trouble):
    bad, good = Job("bad", trouble=trouble), Job("good")
    engine.queue("fine")
    idle.add(bad)
    idle.add(good)
    assert good.over.wait(SECONDS)
    assert (bad.results, good.results) == ([""], ["fine"])


def test_a_model_that_fails_gives_no_words(idle, engine):
    engine.queue(Reply((Say("half"), Fail())))
    job = Job()
    idle.add(job)
    assert job.over.wait(SECONDS)
    assert job.results == [""]


def test_closing_ends_the_job_in_hand_and_forgets_the_others(engine, quiet):
    idle, begun = IdleWork(engine, quiet), threading.Event()
    engine.queue(Reply((Say("half "), Wait(threading.Event()))))
    job, other = Job(enough=lambda text: begun.set() or False), Job("other")
    idle.add(job)
    idle.add(other)
    assert begun.wait(SECONDS)
    idle.close()
    idle.close()
    assert (job.results, other.results) == ([], [])
