"""Runs belong to the service: started, stopped, found again, and kept."""

import threading

import pytest

from webapp.engines.script import Fail, Reply, Say, Wait
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import BadInput, Conflict, NotFound
from webapp.generation.service import GenerationService


@pytest.fixture
def thread(library):
    return library.create("t").id


def finished(generation, library, thread_id, message_id):
    """The stored answer, once its run is over."""
    live = generation.live(message_id)
    if live is not None:
        assert live.wait_done(timeout=10).done
    return library.message(thread_id, message_id)


def test_a_question_gets_an_answer_that_is_stored_with_what_it_cost(generation, library, thread):
    pending = generation.ask(thread, "Hello there")
    answer = finished(generation, library, thread, pending.id)
    assert answer.status == "ready"
    assert "Hello there" in answer.text
    assert answer.metadata["usage"]["output_tokens"] > 0
    assert answer.metadata["usage"]["model"] == "Scripted model"
    assert generation.running(thread) == ()


def test_the_engine_is_sent_the_path_without_the_answer_to_be_replaced(
    generation, library, engine, thread
):
    first = generation.ask(thread, "one")
    finished(generation, library, thread, first.id)
    again = generation.regenerate(thread, first.id)
    finished(generation, library, thread, again.id)
    assert [(turn.role, turn.content) for turn in engine.requests[-1].turns] == [("user", "one")]
    assert library.view(thread).shown[-1].version == 2


def test_a_follow_up_carries_the_conversation(generation, library, engine, thread):
    finished(generation, library, thread, generation.ask(thread, "one").id)
    finished(generation, library, thread, generation.ask(thread, "two").id)
    assert [turn.role for turn in engine.requests[-1].turns] == ["user", "assistant", "user"]


def test_stopping_keeps_the_words_so_far(generation, library, engine, thread):
    engine.queue(Reply((Say("so far "), Wait(threading.Event()))))
    pending = generation.ask(thread, "q")
    live = generation.live(pending.id)
    while live.snapshot().text != "so far ":
        live.wait(live.snapshot().version, timeout=10)
    generation.stop(pending.id)
    answer = finished(generation, library, thread, pending.id)
    assert (answer.status, answer.text) == ("stopped", "so far ")


def test_stopping_one_that_waits_in_line_leaves_one_stopped_message(
    generation, library, engine, thread
):
    release = threading.Event()
    engine.queue(Reply((Wait(release), Say("first"))), "third")
    first = generation.ask(thread, "q1")
    waiting_thread = library.create("other").id
    waiting = generation.ask(waiting_thread, "q2")
    assert generation.live(waiting.id).snapshot().phase == "queued"
    live = generation.live(waiting.id)
    generation.stop(waiting.id)
    assert live.wait_done(timeout=10).phase == "stopped"
    release.set()
    assert finished(generation, library, thread, first.id).text == "first"
    assert library.message(waiting_thread, waiting.id).status == "stopped"
    assert len(library.view(waiting_thread).shown) == 2
    last = generation.ask(waiting_thread, "q3")
    assert finished(generation, library, waiting_thread, last.id).text == "third"


def test_a_second_question_while_the_answer_streams_is_refused_with_a_sentence(
    generation, library, engine, thread
):
    engine.queue(Reply((Wait(threading.Event()),)))
    pending = generation.ask(thread, "q")
    with pytest.raises(Conflict, match="still being written"):
        generation.ask(thread, "meanwhile")
    with pytest.raises(Conflict):
        generation.regenerate(thread, pending.id)
    assert len(library.view(thread).shown) == 2
    generation.stop(pending.id)


def test_two_tabs_asking_at_once_leave_one_question_and_one_refusal(
    generation, library, engine, thread
):
    engine.queue(Reply((Wait(threading.Event()),)))
    barrier, outcomes = threading.Barrier(2), []

    def tab(text):
        barrier.wait()
        try:
            outcomes.append(generation.ask(thread, text).id)
        except Conflict as error:
            outcomes.append(error)

    tabs = [threading.Thread(target=tab, args=(text,)) for text in ("left", "right")]
    for each in tabs:
        each.start()
    for each in tabs:
        each.join(timeout=10)
    assert sum(isinstance(each, Conflict) for each in outcomes) == 1
    assert len(library.view(thread).shown) == 2


def test_a_failure_in_mid_answer_keeps_the_words_and_the_next_question_works(
    generation, library, engine, thread
):
    engine.queue(Reply((Say("half"), Fail("The model's process ended.", "Ask again."))))
    answer = finished(generation, library, thread, generation.ask(thread, "q").id)
    assert (answer.status, answer.text) == ("error", "half")
    assert answer.error == "The model's process ended. Ask again."
    assert finished(generation, library, thread, generation.ask(thread, "q2").id).status == "ready"


def test_a_failed_regenerate_leaves_the_good_answer_shown_and_its_own_version_says_why(
    generation, library, engine, thread
):
    good = finished(generation, library, thread, generation.ask(thread, "q").id)
    engine.queue(Reply((Fail("The model's process ended.", "Ask again."),)))
    failed = generation.regenerate(thread, good.id)
    assert finished(generation, library, thread, failed.id).error
    shown = library.view(thread).shown[-1]
    assert (shown.message.id, shown.version, len(shown.versions)) == (good.id, 1, 2)


def test_a_fault_of_our_own_ends_the_answer_with_a_sentence_and_is_logged(
    generation, library, engine, thread, caplog
):
    engine.queue(Reply((Say("x"), Say(None))))
    answer = finished(generation, library, thread, generation.ask(thread, "q").id)
    assert answer.status == "error"
    assert "Strata itself" in answer.error
    assert caplog.records
    assert finished(generation, library, thread, generation.ask(thread, "q2").id).status == "ready"


def test_deleting_a_thread_that_streams_keeps_the_words_in_the_trash(
    generation, library, engine, thread
):
    engine.queue(Reply((Say("kept"), Wait(threading.Event()))))
    pending = generation.ask(thread, "q")
    live = generation.live(pending.id)
    while live.snapshot().text != "kept":
        live.wait(live.snapshot().version, timeout=10)
    generation.delete_thread(thread)
    library.restore(thread)
    answer = library.message(thread, pending.id)
    assert (answer.status, answer.text) == ("stopped", "kept")


def test_an_unknown_thread_or_message_is_not_found_and_stopping_it_does_nothing(generation, thread):
    with pytest.raises(NotFound):
        generation.ask("nobody", "q")
    with pytest.raises(NotFound):
        generation.regenerate(thread, "nothing")
    generation.stop("nothing")
    assert generation.live("nothing") is None


def test_closing_stops_what_runs_and_keeps_its_words(engine, library, clock, thread):
    service = GenerationService(engine, library, clock_ms=clock)
    engine.queue(Reply((Say("kept"), Wait(threading.Event()))))
    pending = service.ask(thread, "q")
    live = service.live(pending.id)
    while live.snapshot().text != "kept":
        live.wait(live.snapshot().version, timeout=10)
    service.close()
    answer = library.message(thread, pending.id)
    assert (answer.status, answer.text) == ("stopped", "kept")


def begun(live):
    """Once its first word is there."""
    while not live.snapshot().text and not live.snapshot().done:
        live.wait(live.snapshot().version, timeout=10)


def stopped_answer(generation, library, engine, thread, words="The tide comes"):
    engine.queue(Reply((Say(words), Wait(threading.Event()))))
    pending = generation.ask(thread, "Tell me about tides")
    live = generation.live(pending.id)
    while live.snapshot().text != words:
        live.wait(live.snapshot().version, timeout=10)
    generation.stop(pending.id)
    return finished(generation, library, thread, pending.id)


class TestSeveralVersionsAtOnce:
    def test_they_are_written_one_after_another_and_the_first_is_shown(
        self, generation, library, engine, thread
    ):
        old = finished(generation, library, thread, generation.ask(thread, "q").id)
        engine.queue("one", "two", "three")
        first = generation.regenerate(thread, old.id, count=3)
        shown = library.view(thread).shown[-1]
        assert (shown.message.id, shown.version, len(shown.versions)) == (first.id, 2, 4)
        texts = [finished(generation, library, thread, id).text for id in shown.versions[1:]]
        assert texts == ["one", "two", "three"]
        assert library.view(thread).shown[-1].message.id == first.id
        assert len({len(request.turns) for request in engine.requests}) == 1

    def test_stopping_the_one_that_is_written_drops_those_not_begun(
        self, generation, library, engine, thread
    ):
        old = finished(generation, library, thread, generation.ask(thread, "q").id)
        engine.queue(Reply((Say("so far"), Wait(threading.Event()))))
        first = generation.regenerate(thread, old.id, count=4)
        begun(generation.live(first.id))
        generation.stop(first.id)
        assert finished(generation, library, thread, first.id).text == "so far"
        assert generation.running(thread) == ()
        assert library.view(thread).shown[-1].versions == (old.id, first.id)
        assert generation.ask(thread, "next")

    def test_a_failure_of_one_leaves_the_others_and_what_is_shown(
        self, generation, library, engine, thread
    ):
        old = finished(generation, library, thread, generation.ask(thread, "q").id)
        engine.queue("one", Reply((Fail(),)), "three")
        first = generation.regenerate(thread, old.id, count=3)
        versions = library.view(thread).shown[-1].versions
        states = [finished(generation, library, thread, id).status for id in versions]
        assert states == ["ready", "ready", "error", "ready"]
        assert library.view(thread).shown[-1].message.id == first.id

    @pytest.mark.parametrize("count", [0, 5, -1])
    def test_other_numbers_are_refused(self, generation, library, thread, count):
        old = finished(generation, library, thread, generation.ask(thread, "q").id)
        with pytest.raises(BadInput, match="1 to 4"):
            generation.regenerate(thread, old.id, count=count)


class TestEditing:
    def test_an_edited_question_is_answered_and_the_old_branch_stays(
        self, generation, library, engine, thread
    ):
        old = finished(generation, library, thread, generation.ask(thread, "one").id)
        question = library.view(thread).shown[0].message.id
        answer = generation.edit(thread, question, "two")
        finished(generation, library, thread, answer.id)
        assert library.view(thread).shown[0].message.text == "two"
        assert [(turn.role, turn.content) for turn in engine.requests[-1].turns] == [
            ("user", "two")
        ]
        assert [each.message.text for each in library.view(thread, at=old.id).shown] == [
            "one",
            old.text,
        ]

    def test_an_edited_answer_gets_no_reply(self, generation, library, engine, thread):
        old = finished(generation, library, thread, generation.ask(thread, "one").id)
        version = generation.edit(thread, old.id, "better")
        assert (version.role, version.text, version.status) == ("assistant", "better", "ready")
        assert generation.running(thread) == ()
        assert len(engine.requests) == 1

    def test_undoing_the_edit_of_a_question_stops_its_answer_and_shows_the_old_one(
        self, generation, library, engine, thread
    ):
        old = finished(generation, library, thread, generation.ask(thread, "one").id)
        question = library.view(thread).shown[0].message.id
        engine.queue(Reply((Say("x"), Wait(threading.Event()))))
        answer = generation.edit(thread, question, "two")
        begun(generation.live(answer.id))
        assert generation.undo(thread, str(answer.parent_id)) == "Edited a question"
        assert generation.running(thread) == ()
        assert [each.message.id for each in library.view(thread).shown] == [question, old.id]
        assert library.view(thread).shown[0].versions == (question,)


class TestContinuing:
    def test_a_new_version_begins_with_the_old_words_which_stay(
        self, generation, library, engine, thread
    ):
        partial = stopped_answer(generation, library, engine, thread)
        engine.queue("in twice a day.")
        pending = generation.resume(thread, partial.id, in_place=False)
        assert pending.text == "The tide comes"
        answer = finished(generation, library, thread, pending.id)
        assert (answer.text, answer.status) == ("The tide comes in twice a day.", "ready")
        assert library.message(thread, partial.id).text == "The tide comes"
        assert library.view(thread).shown[-1].versions == (partial.id, answer.id)
        roles = [turn.role for turn in engine.requests[-1].turns]
        assert roles == ["user", "assistant", "user"]
        assert engine.requests[-1].turns[1].content == "The tide comes"

    def test_in_place_the_same_message_grows(self, generation, library, engine, thread):
        partial = stopped_answer(generation, library, engine, thread)
        engine.queue("in.")
        pending = generation.resume(thread, partial.id, in_place=True)
        answer = finished(generation, library, thread, pending.id)
        assert (answer.id, answer.text, answer.status) == (
            partial.id,
            "The tide comes in.",
            "ready",
        )
        assert len(library.view(thread).shown[-1].versions) == 1

    @pytest.mark.parametrize("in_place", [True, False])
    def test_when_it_fails_at_once_the_words_so_far_are_still_shown(
        self, generation, library, engine, thread, in_place
    ):
        partial = stopped_answer(generation, library, engine, thread)
        engine.queue(Reply((Fail(),)))
        pending = generation.resume(thread, partial.id, in_place=in_place)
        assert finished(generation, library, thread, pending.id).status == "error"
        assert library.view(thread).shown[-1].message.id == partial.id
        assert library.view(thread).shown[-1].message.text == "The tide comes"

    def test_stopping_it_again_before_its_first_word_loses_nothing(
        self, generation, library, engine, thread
    ):
        partial = stopped_answer(generation, library, engine, thread)
        engine.queue(Reply((Wait(threading.Event()),)))
        pending = generation.resume(thread, partial.id, in_place=True)
        generation.stop(pending.id)
        answer = finished(generation, library, thread, pending.id)
        assert (answer.text, answer.status) == ("The tide comes", "stopped")

    def test_a_whole_answer_cannot_be_continued(self, generation, library, thread):
        whole = finished(generation, library, thread, generation.ask(thread, "q").id)
        with pytest.raises(Conflict, match="nothing to continue"):
            generation.resume(thread, whole.id, in_place=False)


def test_deleting_a_question_stops_the_answer_below_it_and_undo_brings_its_words_back(
    generation, library, engine, thread
):
    finished(generation, library, thread, generation.ask(thread, "q1").id)
    engine.queue(Reply((Say("kept"), Wait(threading.Event()))))
    pending = generation.ask(thread, "q2")
    begun(generation.live(pending.id))
    question = library.view(thread).shown[2].message.id
    assert generation.delete(thread, question, all_versions=False) == 2
    assert generation.running(thread) == ()
    assert len(library.view(thread).shown) == 2
    assert generation.undo(thread, question) == "Deleted 2 messages"
    assert [each.message.text for each in library.view(thread).shown][2:] == ["q2", "kept"]


def test_a_conversation_longer_than_the_window_goes_on_without_its_oldest_turns_and_says_so(
    library, clock
):
    engine = ScriptedEngine(context_tokens=400)
    limits = {"max_output_tokens": 100, "auto_compact": "off"}
    service = GenerationService(engine, library, clock_ms=clock, window=limits)
    thread_id = library.create("long").id
    for number in range(12):
        engine.queue(f"answer {number} " + "word " * 30)
        answer = finished(service, library, thread_id, service.ask(thread_id, f"q{number}").id)
        assert answer.status == "ready"
    service.close()
    sent = engine.requests[-1].turns
    assert sent[0].role == "user"
    assert sent[-1].content == "q11"
    assert answer.metadata["usage"]["left_out"] == 23 - len(sent) > 0
    beginnings = [request.turns[0].content for request in engine.requests]
    assert len(set(beginnings)) < len(beginnings) / 2
