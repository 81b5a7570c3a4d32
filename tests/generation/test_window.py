"""What the engine is sent for a run."""

import pytest

from webapp.engines.engine import Sampling
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import EngineFailed
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.line import Run
from webapp.generation.turn import Turn
from webapp.generation.window import Window, left_out_before


def run_under(library, thread_id, question):
    answer = library.begin_answer(thread_id, question.id)
    return Run(answer, LiveAnswer(thread_id, answer.id), Turn(0))


def test_a_request_holds_the_path_and_leaves_room_for_the_answer(library):
    thread_id = library.create("t").id
    run = run_under(library, thread_id, library.ask(thread_id, "one"))
    request = Window(ScriptedEngine(), library, 100).request_for(run)
    assert [(turn.role, turn.content) for turn in request.turns] == [("user", "one")]
    assert (request.id, request.max_tokens, request.sampling) == (run.answer.id, 100, Sampling())


def test_what_was_sent_can_be_told_again_after_the_answer(library):
    engine = ScriptedEngine(context_tokens=200)
    window, thread_id = Window(engine, library, 50), library.create("t").id
    for number in range(6):
        run = run_under(library, thread_id, library.ask(thread_id, f"{number} " + "word " * 20))
        request = window.request_for(run)
        library.finish_answer(
            thread_id,
            run.answer.id,
            text="word " * 20,
            status="ready",
            error="",
            usage={"left_out": run.left_out},
        )
    assert run.left_out > 0
    assert [turn.content for turn in request.turns] == [text for _, text in window.sent(run)]


def test_without_a_question_there_is_a_sentence(library):
    thread_id = library.create("t").id
    question = library.ask(thread_id, "one")
    run = run_under(library, thread_id, question)
    library.acts.delete(thread_id, question.id, all_versions=False)
    with pytest.raises(Exception) as raised:
        Window(ScriptedEngine(), library, 100).request_for(run)
    assert str(raised.value).count(".") >= 1
    assert isinstance(raised.value, EngineFailed | Exception)


@pytest.mark.parametrize("usage", [None, {}, {"left_out": "many"}, {"left_out": -1}, "x"])
def test_odd_records_of_a_window_count_as_none(library, usage):
    thread_id = library.create("t").id
    message = library.ask(thread_id, "one").with_metadata({"usage": usage})
    assert left_out_before([message]) == 0
