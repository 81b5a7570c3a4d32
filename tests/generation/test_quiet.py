"""When models may do what nobody waits for."""

import threading
from dataclasses import replace

from webapp.engines.script import Reply, Say
from webapp.generation.quiet import ROOM_BYTES, is_quiet


def test_not_while_an_answer_is_written(generation, engine, library):
    thread = library.create("A title").id
    assert is_quiet(generation, engine, lambda: None)
    pending = generation.ask(thread, "/hold on")
    assert not is_quiet(generation, engine, lambda: None)
    live = generation.live(pending.id)
    generation.stop(pending.id)
    assert live.wait_done(5).done and is_quiet(generation, engine, lambda: None)


def test_not_while_a_title_is_written(generation, engine, library):
    held = threading.Event()
    engine.queue(Reply((Say("The answer."),)))
    thread = library.create("").id
    generation.titles._idle._quiet = held.is_set
    live = generation.live(generation.ask(thread, "/title How do tides work?").id)
    assert live is None or live.wait_done(5).done
    assert not is_quiet(generation, engine, lambda: None)
    held.set()
    generation.titles._idle.look()
    for _ in range(500):
        if is_quiet(generation, engine, lambda: None):
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never became quiet")


def test_not_when_the_model_would_have_to_be_loaded(generation, engine, monkeypatch):
    unloaded = replace(engine.describe(), state="unloaded")
    monkeypatch.setattr(engine, "describe", lambda: unloaded)
    assert not is_quiet(generation, engine, lambda: None)


def test_not_without_room_for_another_model(generation, engine):
    assert is_quiet(generation, engine, lambda: ROOM_BYTES + 1)
    assert not is_quiet(generation, engine, lambda: ROOM_BYTES)
    assert is_quiet(generation, engine) in (True, False)
