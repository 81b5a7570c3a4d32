"""Notes stand in for what no longer fits: made in idle time, or before an answer needs room."""

import threading

import pytest

from webapp.chat.summary import (
    HEADING,
    edited,
    failed_at,
    kept_summary,
    reverted,
    summary_at,
)
from webapp.engines.script import Fail, Reply, Say, Wait
from webapp.engines.scripted import ScriptedEngine
from webapp.generation.service import GenerationService
from webapp.generation.summaries import SummaryJob

LONG = "word " * 40


@pytest.fixture
def engine():
    engine = ScriptedEngine(context_tokens=700)
    yield engine
    engine.close()


@pytest.fixture
def generation(engine, library, clock):
    service = GenerationService(engine, library, clock_ms=clock, window={"max_output_tokens": 100})
    yield service
    service.close()


@pytest.fixture
def thread(library):
    return library.create("A title").id


def ask(generation, library, thread, text):
    pending = generation.ask(thread, text)
    live = generation.live(pending.id)
    if live:
        assert live.wait_done(timeout=10).done
    return library.message(thread, pending.id)


def settle(generation):
    """Until nothing is left to be done in idle time."""
    pause = threading.Event()
    while generation._idle.jobs() or generation._line.runs():
        pause.wait(0.005)


def fill(generation, library, engine, thread, turns=8):
    for number in range(turns):
        engine.queue(f"answer {number} {LONG}")
        answer = ask(generation, library, thread, f"question {number} {LONG}")
        settle(generation)
    return answer


def summaries(library, thread):
    return [(each, summary_at(each)) for each in library.path(thread) if summary_at(each)]


def test_what_leaves_the_window_is_noted_in_idle_time_and_sent_with_the_next_question(
    generation, library, engine, thread
):
    fill(generation, library, engine, thread)
    _, summary = summaries(library, thread)[-1]
    assert all(line.message_ids for line in summary.lines)
    assert engine.asides
    ask(generation, library, thread, "and now?")
    first = engine.requests[-1].turns[0]
    assert first.role == "system"
    assert HEADING in first.content and summary.lines[0].text in first.content
    states = generation.window.outlook(thread).states
    assert states[library.path(thread)[0].id] == "summarised"


def test_the_same_messages_are_read_for_notes_once(generation, library, engine, thread):
    fill(generation, library, engine, thread, turns=12)
    read = [turn.content for request in engine.asides for turn in request.turns[1:]]
    for number in range(12):
        assert sum(f"user: question {number} " in text for text in read) <= 1


def test_notes_that_are_there_when_their_turn_comes_are_not_made_again(
    generation, library, engine, thread
):
    library.set_window(thread, {"auto_compact": "off"})
    fill(generation, library, engine, thread)
    look = lambda: generation.window.due(thread)  # noqa: E731
    job = SummaryJob(generation.summaries, thread, look().node_id, look)
    assert generation.summaries.write(thread, None)
    settle(generation)
    [(node, kept)] = summaries(library, thread)
    assert job.request() is None
    job.done("- Other notes. [1]")
    assert summaries(library, thread) == [(node, kept)]


def test_what_a_person_changes_while_further_notes_are_made_counts(
    generation, library, engine, thread
):
    library.set_window(thread, {"auto_compact": "off"})
    fill(generation, library, engine, thread)
    assert generation.summaries.write(thread, None)
    settle(generation)
    [(node, kept)] = summaries(library, thread)
    fill(generation, library, engine, thread)
    due = generation.window.due(thread)
    asked, _ = generation.summaries.request("notes", due)
    library.marks.keep(thread, node.id, kept_summary(edited(kept, "- The cat is Ada.")))
    generation.summaries.keep(thread, asked, "- They ask on. [1]")
    grown = summaries(library, thread)[-1][1]
    assert [line.text for line in grown.lines] == ["The cat is Ada.", "They ask on."]
    assert [line.text for line in reverted(grown).lines] == [
        *(line.text for line in kept.lines),
        "They ask on.",
    ]


def test_without_room_the_notes_are_made_before_the_answer_and_the_reader_is_told(
    generation, library, engine, thread
):
    for number in range(4):
        engine.queue(f"answer {number} {LONG}")
        ask(generation, library, thread, f"question {number} {LONG}")
    settle(generation)
    before = len(engine.asides)
    told = []
    pending = generation.ask(thread, f"a long one {LONG * 3}")
    live = generation.live(pending.id)
    while live and not (now := live.snapshot()).done:
        told.append(now.detail)
        live.wait(now.version, 10)
    assert len(engine.asides) > before
    assert library.message(thread, pending.id).status == "ready"
    assert summaries(library, thread)


def test_notes_that_fail_leave_the_answer_alone_and_are_not_tried_again(
    generation, library, engine, thread, monkeypatch
):
    monkeypatch.setattr("webapp.engines.scripted.notes_on", lambda pieces: Reply((Fail(),)))
    fill(generation, library, engine, thread)
    failed = [message for message in library.path(thread) if failed_at(message)]
    assert failed and not summaries(library, thread)
    assert all(each.status == "ready" for each in library.path(thread))
    asked = len(engine.asides)
    generation.summaries.look(thread, library.path(thread)[-1].id)
    settle(generation)
    assert len(engine.asides) == asked


def test_stopping_while_the_notes_are_made_stops_the_answer(
    generation, library, engine, thread, monkeypatch
):
    waiting = lambda pieces: Reply((Say("- half"), Wait(threading.Event())))  # noqa: E731
    fill(generation, library, engine, thread, turns=2)
    monkeypatch.setattr("webapp.engines.scripted.notes_on", waiting)
    pending = generation.ask(thread, f"a long one {LONG * 6}")
    live = generation.live(pending.id)
    while live.snapshot().phase == "queued":
        live.wait(live.snapshot().version, 10)
    assert "Summarising" in live.snapshot().detail
    generation.stop(pending.id)
    assert live.wait_done(timeout=10).phase == "stopped"
    assert not summaries(library, thread)


def test_switched_off_nothing_is_noted(engine, library, clock, thread):
    limits = {"max_output_tokens": 100, "auto_compact": "off"}
    service = GenerationService(engine, library, clock_ms=clock, window=limits)
    fill(service, library, engine, thread)
    service.close()
    assert engine.asides == [] and not summaries(library, thread)


def test_a_branch_has_notes_of_its_own(generation, library, engine, thread):
    fill(generation, library, engine, thread)
    node, _ = summaries(library, thread)[0]
    first = library.path(thread)[0]
    answer = generation.edit(thread, first.id, "another beginning")
    live = generation.live(answer.id)
    if live:
        live.wait_done(timeout=10)
    settle(generation)
    assert node.id not in [each.id for each in library.path(thread)]
    assert not summaries(library, thread)


def test_a_person_may_want_notes_now_whatever_the_settings_say(generation, library, engine, thread):
    library.set_window(thread, {"auto_compact": "off"})
    assert not generation.summaries.write(thread, None)
    fill(generation, library, engine, thread)
    assert summaries(library, thread) == []
    assert generation.summaries.write(thread, None)
    settle(generation)
    assert not generation.summaries.expected(thread)
    assert summaries(library, thread)
