"""Whether a model may call by itself is found out once, in idle time, and kept."""

import threading

import pytest

from webapp.chat.tool_questions import NEEDS_CALL, NEEDS_NONE
from webapp.engines.engine import Finished, Text
from webapp.errors import EngineFailed
from webapp.generation.idle import IdleWork
from webapp.generation.tool_test import ToolTest

CALL = '<tool_call>{"name": "retrieve", "arguments": {"query": "notice period"}}</tool_call>'


@pytest.fixture
def test_with(engine, tmp_path, monkeypatch):
    """A test of a model that gives these replies; waits until it is quiet again."""
    made, asked = [], []

    def built(replies):
        def generate(request):
            asked.append(request)
            reply = replies.get(request.turns[-1].content)
            if reply is None:
                raise EngineFailed("The model gave up.", do="Try again.")
            yield Text(reply, 1)
            yield Finished("stop", 1, 0, 1, 0.0, 0.0)

        monkeypatch.setattr(engine, "generate", generate)
        idle = IdleWork(engine, lambda: True)
        made.append(idle)
        return ToolTest(engine, idle, tmp_path / "cache" / "tests.json"), idle, asked

    yield built
    for idle in made:
        idle.close()


def over(idle):
    for _ in range(500):
        if not idle.jobs():
            return
        threading.Event().wait(0.01)
    raise AssertionError("the test did not end")


def test_a_model_that_calls_when_needed_and_only_then_passes(test_with):
    test, idle, asked = test_with({NEEDS_CALL: CALL, NEEDS_NONE: "I am fine."})
    assert not test.passed()
    test.want()
    over(idle)
    assert test.passed() and len(asked) == 2
    assert all(request.tools and request.sampling.temperature == 0 for request in asked)


@pytest.mark.parametrize(
    "replies", [{NEEDS_CALL: "90 days."}, {NEEDS_CALL: CALL, NEEDS_NONE: CALL}]
)
def test_any_other_does_not_and_is_not_asked_again(test_with, replies):
    test, idle, asked = test_with(replies)
    test.want()
    over(idle)
    count = len(asked)
    test.want()
    over(idle)
    assert not test.passed() and len(asked) == count


def test_what_was_found_out_is_kept(test_with, engine, tmp_path):
    test, idle, asked = test_with({NEEDS_CALL: CALL, NEEDS_NONE: "I am fine."})
    test.want()
    over(idle)
    again = ToolTest(engine, idle, tmp_path / "cache" / "tests.json")
    again.want()
    over(idle)
    assert again.passed() and len(asked) == 2


@pytest.mark.parametrize("kept", [b"{", b"[]", b'{"version": 0, "passed": {}}', b"\xff"])
def test_a_damaged_file_costs_a_new_test_alone(engine, tmp_path, kept):
    (tmp_path / "tests.json").write_bytes(kept)
    idle = IdleWork(engine, lambda: False)
    try:
        assert not ToolTest(engine, idle, tmp_path / "tests.json").passed()
    finally:
        idle.close()


def test_a_model_that_fails_is_tested_another_time(test_with):
    test, idle, asked = test_with({})
    test.want()
    over(idle)
    test.want()
    over(idle)
    assert len(asked) == 2 and not test.passed()
