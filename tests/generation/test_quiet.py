"""When models may do what nobody waits for."""

from dataclasses import replace

from webapp.generation.quiet import ROOM_BYTES, is_quiet


def test_not_while_an_answer_is_written(generation, engine, library):
    thread = library.create("A title").id
    assert is_quiet(generation, engine, lambda: None)
    pending = generation.ask(thread, "/hold on")
    assert not is_quiet(generation, engine, lambda: None)
    live = generation.live(pending.id)
    generation.stop(pending.id)
    assert live.wait_done(5).done and is_quiet(generation, engine, lambda: None)


def test_not_when_the_model_would_have_to_be_loaded(generation, engine, monkeypatch):
    unloaded = replace(engine.describe(), state="unloaded")
    monkeypatch.setattr(engine, "describe", lambda: unloaded)
    assert not is_quiet(generation, engine, lambda: None)


def test_not_without_room_for_another_model(generation, engine):
    assert is_quiet(generation, engine, lambda: ROOM_BYTES + 1)
    assert not is_quiet(generation, engine, lambda: ROOM_BYTES)
    assert is_quiet(generation, engine) in (True, False)
