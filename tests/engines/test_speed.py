"""How fast a model is, measured and kept."""

import threading
import time

import pytest

from tests.engines.real_models import chat_model
from webapp.engines.engine import EngineInfo, Finished, Reading, Text
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.speed import SECONDS, Speed, Speeds, measure
from webapp.errors import EngineFailed


class Timed:
    """An engine of which each event takes a second."""

    def __init__(self, *events):
        self.events, self.now, self.cancelled = events, 0.0, []

    def clock(self):
        return self.now

    def generate(self, request):
        self.request = request
        for event in self.events:
            yield event
            self.now += 1.0

    def cancel(self, request_id):
        self.cancelled.append(request_id)

    def describe(self):
        return EngineInfo("timed", "Model", "ready", 0)


def end(**facts):
    known = {"prompt_tokens": 210, "reused_tokens": 10, "output_tokens": 41}
    known |= {"first_token_seconds": 4.0, "total_seconds": 12.0}
    return Finished("stop", **{**known, **facts})


def test_reading_and_writing_are_told_apart():
    assert measure(Timed(Reading(0, 210, 10), Text("a", 1), end())) == Speed(50.0, 5.0)


def test_what_is_too_slow_is_ended_and_the_reading_so_far_counts():
    events = [Reading(30 * n, 9999, 0) for n in range(12)]
    over = end(output_tokens=0, first_token_seconds=0.0)
    engine = Timed(*events, over)
    assert measure(engine, engine.clock) == Speed(30.0, 0.0)
    assert engine.cancelled[0] == engine.request.id
    assert engine.now < SECONDS + 3


def test_no_two_tests_begin_alike():
    first, second = Timed(end()), Timed(end())
    measure(first), measure(second)
    assert first.request.turns[0].content[:30] != second.request.turns[0].content[:30]


@pytest.fixture
def speeds(tmp_path, clock):
    return Speeds(tmp_path / "cache" / "speeds.json", clock)


def wait(speeds):
    pause = threading.Event()
    for _ in range(2000):
        if not speeds.testing:
            return
        pause.wait(0.005)
    raise AssertionError("the test did not end")


def test_what_was_measured_is_kept_by_the_name_of_the_model(speeds, tmp_path):
    assert speeds.known() == {}
    speeds.begin(Timed(end()))
    wait(speeds)
    found = speeds.known()["Model"]
    assert (found.reading, found.writing) == (50.0, 5.0)
    assert found.at > 0
    for rubbish in ('{"Model": 3}', '{"Model": {"reading": "fast", "writing": 1, "at": 1}}', "[]"):
        (tmp_path / "cache" / "speeds.json").write_text(rubbish)
        assert speeds.known() == {}


def test_a_model_that_fails_says_why(speeds):
    class Broken(Timed):
        def generate(self, request):
            raise EngineFailed("It is gone.", do="Load it.")

    speeds.begin(Broken())
    wait(speeds)
    assert speeds.problem == "It is gone. Load it."
    assert speeds.known() == {}


@pytest.mark.model
def test_a_real_model_is_measured():
    engine = LlamaCppEngine(chat_model(), context_tokens=2048, threads=0)
    try:
        # A busy machine gets a minute: how fast it is does not matter here.
        speed = measure(engine, lambda: time.monotonic() / 6)
    finally:
        engine.close()
    assert speed.reading > speed.writing > 0.5
