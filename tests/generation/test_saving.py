"""An answer is on disk in the end, also when the disk refused at first."""

import pytest

from webapp.errors import StorageFailed
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.line import Line, Run
from webapp.generation.saving import AnswerSaving
from webapp.generation.turn import Save, Turn


@pytest.fixture
def begun(library):
    """A run of a new version, beside a good answer; and the line it stands in."""
    thread_id = library.create("t").id
    question = library.ask(thread_id, "q")
    good = library.begin_answer(thread_id, question.id)
    library.finish_answer(thread_id, good.id, text="good", status="ready", error="", usage={})
    answer = library.begin_answer(thread_id, question.id)
    line = Line()
    run = Run(answer, LiveAnswer(thread_id, answer.id), Turn(0), good.id)
    line.join(run)
    return run, line


def test_an_answer_is_saved_signed_and_over(library, begun):
    run, line = begun
    AnswerSaving(library, line, lambda: "a model").save(run, Save("ready", "words", "", {}))
    stored = library.message(run.live.thread_id, run.answer.id)
    assert (stored.text, stored.metadata["usage"]["model"]) == ("words", "a model")
    assert run.live.snapshot().done
    assert line.runs() == []


def test_a_version_that_fails_without_a_word_gives_way_to_the_good_one(library, begun):
    run, line = begun
    AnswerSaving(library, line, lambda: "").save(run, Save("error", "", "It failed.", {}))
    assert library.view(run.live.thread_id).shown[-1].message.text == "good"


def test_it_does_not_change_what_is_shown_when_another_version_is(library, begun):
    run, line = begun
    thread_id = run.live.thread_id
    third = library.begin_answer(thread_id, str(run.answer.parent_id))
    AnswerSaving(library, line, lambda: "").save(run, Save("error", "", "It failed.", {}))
    assert library.view(thread_id).shown[-1].message.id == third.id


def test_what_the_disk_refuses_is_kept_told_and_tried_again(library, store, begun, monkeypatch):
    run, line = begun
    saving = AnswerSaving(library, line, lambda: "")

    def full(*args, **options):
        raise StorageFailed("The disk is full.", do="Free some space.")

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", full)
        saving.checkpoint(run, "words")
        saving.save(run, Save("ready", "words", "", {}))
        saving.retry(run)
    assert "The disk is full." in run.live.snapshot().detail
    assert not run.live.snapshot().done
    saving.retry(run)
    assert run.live.snapshot().done
    assert library.message(run.live.thread_id, run.answer.id).text == "words"


def test_an_answer_whose_message_is_gone_ends_with_a_sentence(library, begun):
    run, line = begun
    library.acts.delete(run.live.thread_id, run.answer.id, all_versions=False)
    AnswerSaving(library, line, lambda: "").save(run, Save("ready", "words", "", {}))
    assert run.live.snapshot().phase == "error"
    assert line.runs() == []
