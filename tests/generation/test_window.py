"""What the engine is sent for a run, and what a page is told about it."""

import pytest

from webapp.chat.overflow import Overflow
from webapp.chat.summary import Line, Summary, kept_summary
from webapp.engines.engine import Sampling
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import BadInput, EngineFailed
from webapp.generation import sent
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.line import Run
from webapp.generation.turn import Turn
from webapp.generation.window import Window, defaults

NOW_MS = 1_767_225_600_000


def window_over(library, engine=None, **settings):
    return Window(engine or ScriptedEngine(), library, defaults(**settings), lambda: NOW_MS)


def run_under(library, thread_id, question, begun=""):
    answer = library.begin_answer(thread_id, question.id)
    return Run(answer, LiveAnswer(thread_id, answer.id), Turn(0), begun=begun)


def request_for(window, run):
    return window.request_for(run, window.plan_for(run))


def finish(library, run, text="word " * 20):
    library.finish_answer(
        run.live.thread_id, run.answer.id, text=text, status="ready", error="", usage=run.record
    )


def conversation(library, window, turns):
    """A thread of long turns, each answered as its window says; the last run and request."""
    thread_id = library.create("t").id
    for number in range(turns):
        run = run_under(library, thread_id, library.ask(thread_id, f"{number} " + "word " * 20))
        request = request_for(window, run)
        finish(library, run)
    return thread_id, run, request


def test_a_request_holds_the_path_and_leaves_room_for_the_answer(library):
    thread_id = library.create("t").id
    run = run_under(library, thread_id, library.ask(thread_id, "one"))
    request = request_for(window_over(library, max_output_tokens=100), run)
    assert [(turn.role, turn.content) for turn in request.turns] == [("user", "one")]
    assert (request.id, request.max_tokens, request.sampling) == (run.answer.id, 100, Sampling())


def test_going_on_with_an_answer_shows_the_model_its_own_words(library):
    thread_id = library.create("t").id
    run = run_under(library, thread_id, library.ask(thread_id, "one"), begun="Half of")
    request = request_for(window_over(library), run)
    assert [turn.role for turn in request.turns] == ["user", "assistant", "user"]
    assert request.turns[1].content == "Half of"


def test_the_window_stays_where_it_began_for_many_turns_and_tells_what_it_left_out(library):
    window = window_over(library, ScriptedEngine(context_tokens=300), max_output_tokens=50)
    thread_id, run, request = conversation(library, window, 12)
    assert run.record["left_out"] > 0
    starts = [
        message.metadata["usage"]["window_start"]
        for message in library.path(thread_id)
        if message.role == "assistant"
    ]
    assert starts[0] != starts[-1]
    assert len(set(starts)) < len(starts) / 2
    assert request.turns[0].role == "user"


def test_what_was_sent_is_kept_with_the_answer_word_for_word(library):
    window = window_over(library, ScriptedEngine(context_tokens=300), max_output_tokens=50)
    thread_id, run, request = conversation(library, window, 6)
    kept = library.message(thread_id, run.answer.id).metadata["usage"]["sent"]
    read = sent.read(kept, lambda id: library.message(thread_id, id))
    assert [(part.role, part.content) for part in read] == [
        (turn.role, turn.content) for turn in request.turns
    ]
    assert all(part.exact for part in read)


def test_without_a_question_there_is_a_sentence(library):
    thread_id = library.create("t").id
    question = library.ask(thread_id, "one")
    run = run_under(library, thread_id, question)
    library.marks.mute(thread_id, question.id, on=True)
    with pytest.raises(BadInput, match="muted"):
        window_over(library).plan_for(run)


def test_an_outlook_counts_the_draft_and_changes_nothing(library):
    window = window_over(library)
    thread_id, _, _ = conversation(library, window, 1)
    before = window.outlook(thread_id).ledger
    plan = window.outlook(thread_id, draft="and what is that? " * 5)
    assert plan.ledger.draft > 10
    assert abs(plan.ledger.history - before.history) < 5  # turns share their frames
    assert window.outlook(thread_id).ledger == before
    assert len(library.path(thread_id)) == 2


def test_pins_and_mutes_hold_in_the_request(library):
    window = window_over(library, ScriptedEngine(context_tokens=300), max_output_tokens=50)
    thread_id, run, _ = conversation(library, window, 6)
    first, second = [message.id for message in library.path(thread_id)][:2]
    library.marks.pin(thread_id, first, on=True)
    library.marks.mute(thread_id, run.answer.id, on=True)
    states = window.outlook(thread_id, draft="next").states
    assert (states[first], states[second], states[run.answer.id]) == ("pinned", "left_out", "muted")


def test_settings_come_from_the_thread_then_its_assistant_then_everybody(library, store):
    window = window_over(library, max_output_tokens=77)
    thread = library.create("t")
    assert window.settings(thread)["max_output_tokens"] == 77
    assisted = thread.with_fields(assistants=[{"parameters": {"max_output_tokens": 60, "x": 1}}])
    assert window.settings(assisted)["max_output_tokens"] == 60
    own = assisted.with_metadata({"window": {"max_output_tokens": 50, "auto_compact": "off"}})
    found = window.settings(own)
    assert (found["max_output_tokens"], found["auto_compact"]) == (50, "off")
    for odd in ("x", None, 3, [1]):
        assert window.settings(thread.with_metadata({"window": odd})) == window.settings(thread)


def test_after_an_overflow_less_is_sent(library):
    window = window_over(library)
    thread_id, run, _ = conversation(library, window, 8)
    run = run_under(library, thread_id, library.ask(thread_id, "last"))
    whole = window.plan_for(run)
    less = window.plan_for(run, Overflow(holds=200))
    assert len(less.parts) < len(whole.parts)
    assert less.parts[-1] == whole.parts[-1]


def test_a_summary_on_the_path_is_sent_in_place_of_what_it_stands_for(library):
    window = window_over(library)
    thread_id, run, _ = conversation(library, window, 4)
    ids = [message.id for message in library.path(thread_id)]
    summary = Summary((Line("They spoke of words."),), ((ids[0], ids[3]),), 1, "m")
    library.marks.keep(thread_id, ids[3], kept_summary(summary))
    run = run_under(library, thread_id, library.ask(thread_id, "last"))
    request = request_for(window, run)
    assert request.turns[0].role == "system"
    assert "They spoke of words." in request.turns[0].content
    assert len(request.turns) == 6


class GoneEngine(ScriptedEngine):
    """Says that it is ready and dies when it is asked to count."""

    def count(self, turns, tools=()):
        raise EngineFailed("The model's process ended unexpectedly.", do="Ask again.")


def test_a_page_gets_an_estimate_when_the_model_dies_meanwhile(library):
    thread, window = library.create("t").id, window_over(library, GoneEngine())
    library.ask(thread, "What now?")
    assert window.outlook(thread).ledger.history > 0
    assert window.due(thread) is None
