"""What was done lately, taken back by its name; and the thread as it was."""

import pytest

from webapp.errors import BadInput, Conflict, NotFound
from webapp.threads.history import KEPT_MS
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary
from webapp.threads.past import grouped, is_switch, is_undoing
from webapp.threads.store import Change


def texts(view):
    return [each.message.text for each in view.shown]


def named(library, thread_id):
    return [change.what for change in library.past.changes(thread_id)]


def ids(library, thread_id):
    return [each.message.id for each in library.view(thread_id).shown]


@pytest.fixture
def thread(library):
    """q1 with the answers a1 and a2, a2 shown."""
    thread_id = library.create("Harbour walk").id
    question = library.ask(thread_id, "q1")
    for words in ("a1", "a2"):
        pending = library.begin_answer(thread_id, question.id)
        library.finish_answer(thread_id, pending.id, text=words, status="ready", error="", usage={})
    return thread_id


@pytest.fixture
def reopened(tmp_path, clock, new_id):
    return lambda: ThreadLibrary(
        JsonlThreadStore(tmp_path / "data", clock), clock_ms=clock, new_id=new_id
    )


def test_asking_and_answering_are_no_changes(library, thread):
    assert named(library, thread) == []


def test_every_act_is_listed_by_its_name_newest_first(library, thread):
    question, second = ids(library, thread)
    library.rename(thread, "Old pier")
    library.switch(thread, library.view(thread).shown[1].previous_version)
    library.acts.edit(thread, question, "other words")
    library.acts.delete(thread, second, all_versions=False)
    library.past.undo(thread, library.past.changes(thread)[0].id)
    assert named(library, thread) == [
        "Undid: Deleted 1 message",
        "Deleted 1 message",
        "Edited a question",
        "Switched to version 1 of 2",
        "Renamed to “Old pier”",
    ]


def test_each_is_taken_back_after_a_restart_too(library, thread, reopened):
    first = library.view(thread).shown[1].previous_version
    library.rename(thread, "Old pier")
    library.switch(thread, first)
    assert texts(library.view(thread)) == ["q1", "a1"]
    again = reopened()
    for change in again.past.changes(thread):
        again.past.undo(thread, change.id)
    assert texts(again.view(thread)) == texts(reopened().view(thread)) == ["q1", "a2"]
    assert again.view(thread).thread.title == "Harbour walk"


def test_an_undo_is_taken_back(library, thread):
    library.rename(thread, "Old pier")
    for title in ("Harbour walk", "Old pier"):
        library.past.undo(thread, library.past.changes(thread)[0].id)
        assert library.view(thread).thread.title == title
    assert named(library, thread)[0] == "Redid: Renamed to “Old pier”"


def test_what_was_changed_again_is_refused_and_an_unknown_change_too(library, thread):
    library.rename(thread, "Old pier")
    library.rename(thread, "New pier")
    with pytest.raises(Conflict, match="changed again"):
        library.past.undo(thread, library.past.changes(thread)[1].id)
    with pytest.raises(NotFound):
        library.past.undo(thread, "nothing")
    with pytest.raises(NotFound):
        library.past.changes("nobody")


def test_the_same_name_again_is_no_change(library, thread):
    library.rename(thread, "Harbour walk")
    assert named(library, thread) == []


def test_an_edit_whose_answer_a_crash_cut_short_is_taken_back(library, thread, reopened):
    edited = library.acts.edit(thread, ids(library, thread)[0], "other words")
    library.begin_answer(thread, edited.id)
    with pytest.raises(Conflict, match="still being written"):
        library.past.undo(thread, library.past.changes(thread)[0].id)
    again = reopened()
    again.past.undo(thread, again.past.changes(thread)[0].id)
    assert texts(again.view(thread)) == ["q1", "a2"]


class TestSwitching:
    def test_it_costs_one_line_and_only_when_something_changes(self, library, thread, tmp_path):
        log = tmp_path / "data" / "threads" / thread / "messages.jsonl"
        first = library.view(thread).shown[1].previous_version
        before = log.read_bytes().count(b"\n")
        library.switch(thread, first)
        library.switch(thread, first)
        assert log.read_bytes().count(b"\n") == before + 1
        assert len(library.past.changes(thread)) == 1

    def test_from_far_away_it_is_a_switch_of_branches(self, library, thread):
        question, answer = ids(library, thread)
        library.acts.edit(thread, question, "other words")
        library.switch(thread, answer)
        assert named(library, thread)[0] == "Switched to another branch"
        library.switch(thread, library.view(thread).shown[0].next_version)
        assert named(library, thread)[0] == "Switched to version 2 of 2"

    def test_the_offer_after_an_act_never_takes_back_a_switch(self, library, thread):
        question, _ = ids(library, thread)
        library.acts.mark(thread, question, name="Sea", starred=False)
        library.switch(thread, library.view(thread).shown[1].previous_version)
        assert library.acts.latest(thread, question).what == "Marked a branch"

    def test_switches_in_a_row_stand_together(self):
        whats = ["Switched to version 1 of 2", "Undid: Switched to version 2 of 2", "Edited"]
        changes = [Change(str(at), at, what, ()) for at, what in enumerate([*whats, "Edited"])]
        assert [len(group) for group in grouped(changes)] == [2, 1, 1]
        assert [is_switch(each) for each in changes] == [True, True, False, False]
        assert [is_undoing(each) for each in changes] == [False, True, False, False]


class TestAsItWas:
    def test_the_path_of_that_time_is_shown_and_nothing_is_written(
        self, library, thread, clock, tmp_path
    ):
        question, _ = ids(library, thread)
        moment = clock()
        library.rename(thread, "Old pier")
        library.acts.edit(thread, question, "other words")
        library.acts.delete(thread, question, all_versions=True)
        folder = tmp_path / "data" / "threads" / thread
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        was = library.past.as_of(thread, moment)
        assert texts(was) == ["q1", "a2"]
        assert was.thread.title == "Harbour walk"
        assert was.shown[1].version == 2
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        assert texts(library.view(thread)) == []

    def test_just_before_a_change_it_is_not_there_yet(self, library, thread):
        library.switch(thread, library.view(thread).shown[1].previous_version)
        [change] = library.past.changes(thread)
        assert texts(library.past.as_of(thread, change.at - 1)) == ["q1", "a2"]
        assert texts(library.past.as_of(thread, change.at)) == ["q1", "a1"]

    def test_a_long_path_comes_in_parts(self, library, thread, clock):
        was = library.past.as_of(thread, clock(), limit=1)
        assert texts(was) == ["a2"]
        earlier = library.past.as_of(thread, clock(), before=was.earlier, limit=1)
        assert (texts(earlier), earlier.earlier) == (["q1"], None)

    def test_a_damaged_thread_can_be_looked_at(self, library, thread, clock, tmp_path, reopened):
        (tmp_path / "data" / "threads" / thread / "thread.json").write_text("{")
        was = reopened().past.as_of(thread, clock())
        assert texts(was) == ["q1", "a2"]
        assert was.damaged

    def test_moments_of_which_nothing_is_known_are_refused(self, library, thread, clock):
        with pytest.raises(BadInput, match="in the future"):
            library.past.as_of(thread, clock() + 10**6)
        for moment in (0, -(10**30), clock() - KEPT_MS - 1000):
            with pytest.raises(BadInput, match="30 days"):
                library.past.as_of(thread, moment)


def test_it_is_known_whether_a_message_is_on_the_path_that_opens(library, thread):
    shown = ids(library, thread)
    first = shown[0]
    other = library.acts.edit(thread, first, "Another beginning").id
    assert library.past.is_shown(thread, other)
    assert not library.past.is_shown(thread, first)
