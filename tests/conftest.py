"""Real parts for tests: a store on a real disk, the scripted engine, a library over both."""

import itertools
import os
import threading

import pytest
from hypothesis import settings

from tests.crashes import pytest_sessionfinish, pytest_testnodedown  # noqa: F401
from webapp.engines.scripted import ScriptedEngine
from webapp.generation.service import GenerationService
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary
from webapp.threads.projects import Projects

# The same examples each time: a check says what a change did, not what the dice did. New ones are
# looked for with HYPOTHESIS_PROFILE=explore; what that finds becomes an @example.
settings.register_profile("check", derandomize=True)
settings.register_profile("explore", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """On several processors a file's tests stay together, and those that run a real model too: two
    models at once would take each other's processors."""
    for item in items:
        group = "models" if item.get_closest_marker("model") else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


class Clock:
    """Milliseconds that go on by one with each look, so that no two messages share a moment."""

    def __init__(self, start=1_767_225_600_000):
        self.now = start
        self._lock = threading.Lock()

    def __call__(self):
        with self._lock:
            self.now += 1
            return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def new_id():
    numbers = itertools.count(1)
    return lambda: f"id-{next(numbers)}"


@pytest.fixture
def store(tmp_path, clock):
    store = JsonlThreadStore(tmp_path / "data", clock)
    yield store
    store.close()


@pytest.fixture
def projects(tmp_path, clock, new_id):
    return Projects(tmp_path / "data", clock_ms=clock, new_id=new_id)


@pytest.fixture
def library(store, clock, new_id, projects):
    return ThreadLibrary(store, clock_ms=clock, new_id=new_id, projects=projects)


@pytest.fixture
def engine():
    engine = ScriptedEngine()
    yield engine
    engine.close()


@pytest.fixture
def generation(engine, library, clock):
    service = GenerationService(engine, library, clock_ms=clock)
    yield service
    service.close()
