"""What a person does to a tree, and that it can be taken back, also after a restart."""

import pytest

from tests.chat.trees import said
from webapp.chat.branches import name_of
from webapp.chat.messages import Message, new_message, new_thread
from webapp.chat.records import Put
from webapp.errors import BadInput, Conflict, NotFound
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary
from webapp.threads.sqlite import SqliteThreadStore


def texts(library, thread_id, **where):
    return [each.message.text for each in library.view(thread_id, **where).shown]


def ids(library, thread_id):
    return [each.message.id for each in library.view(thread_id).shown]


@pytest.fixture(params=[JsonlThreadStore, SqliteThreadStore])
def open_store(request):
    return request.param


@pytest.fixture
def store(open_store, tmp_path, clock):
    store = open_store(tmp_path / "data", clock)
    yield store
    store.close()


@pytest.fixture
def acts(library):
    return library.acts


@pytest.fixture
def reopened(open_store, tmp_path, clock, new_id):
    """A library that never saw what was done before: as after a restart."""
    stores = []

    def open_again():
        stores.append(open_store(tmp_path / "data", clock))
        return ThreadLibrary(stores[-1], clock_ms=clock, new_id=new_id)

    yield open_again
    for store in stores:
        store.close()


@pytest.fixture
def answered(library):
    """Stores a question and its answer; the answer's id."""

    def add(thread_id, question, answer, after=None):
        asked = library.ask(thread_id, question, after=after)
        return version(library, thread_id, asked.id, answer)

    return add


def version(library, thread_id, question_id, text):
    pending = library.begin_answer(thread_id, question_id)
    library.finish_answer(thread_id, pending.id, text=text, status="ready", error="", usage={})
    return pending.id


@pytest.fixture
def thread(library, answered):
    """q1 a1 q2 a2."""
    thread_id = library.create("Harbour walk").id
    answered(thread_id, "q1", "a1")
    answered(thread_id, "q2", "a2")
    return thread_id


class TestEditing:
    def test_the_new_words_are_shown_and_the_old_branch_is_whole(
        self, library, acts, thread, reopened
    ):
        [first, *_] = ids(library, thread)
        acts.edit(thread, first, "other words")
        for each in (library, reopened()):
            assert texts(each, thread) == ["other words"]
            assert texts(each, thread, at=first) == ["q1", "a1", "q2", "a2"]

    def test_parts_that_are_not_text_come_along(self, acts, library, store):
        thread_id = library.create("t").id
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
        words = {"type": "text", "text": {"value": "look", "annotations": []}}
        seen = {"id": "m1", "role": "user", "content": [words, image], "created_at": 1}
        store.write(thread_id, [Put(Message(seen))])
        edited = acts.edit(thread_id, "m1", "look closer")
        assert edited.text == "look closer"
        assert edited.data["content"][1] == image

    def test_an_edit_off_the_shown_path_is_shown(self, library, acts, thread):
        first = ids(library, thread)[0]
        acts.edit(thread, first, "second version")
        assert library.view(thread).shown[0].version == 2
        old_answer = library.view(thread, at=first).shown[1].message.id
        acts.edit(thread, old_answer, "a better answer")
        assert texts(library, thread) == ["q1", "a better answer"]

    @pytest.mark.parametrize("text", ["", "  \n", "x" * 400_001])
    def test_words_that_are_no_message_are_refused_and_nothing_is_stored(
        self, library, acts, thread, text
    ):
        with pytest.raises(BadInput):
            acts.edit(thread, ids(library, thread)[0], text)
        assert library.view(thread).shown[0].versions == (ids(library, thread)[0],)

    def test_an_answer_that_is_being_written_cannot_be_edited(self, library, acts, thread):
        question = library.ask(thread, "q3")
        pending = library.begin_answer(thread, question.id)
        with pytest.raises(Conflict, match="still being written"):
            acts.edit(thread, pending.id, "words")

    def test_an_edit_is_taken_back(self, library, acts, thread, reopened):
        first = ids(library, thread)[0]
        edited = acts.edit(thread, first, "other words")
        assert acts.latest(thread, edited.id).what == "Edited a question"
        assert acts.latest(thread, first) is None
        assert acts.undo(thread, edited.id) == "Edited a question"
        for each in (library, reopened()):
            assert texts(each, thread) == ["q1", "a1", "q2", "a2"]
            assert len(each.view(thread).shown[0].versions) == 1


class TestDeleting:
    def test_it_is_said_before_how_many_messages_go(self, library, acts, thread):
        first = ids(library, thread)[0]
        edited = acts.edit(thread, first, "other words")
        loss = acts.loss(thread, first)
        assert (loss.with_version, loss.with_all) == (4, 5)
        assert (loss.version, loss.versions) == (1, 2)
        assert acts.loss(thread, edited.id).with_version == 1

    def test_a_message_goes_with_all_that_follows_and_comes_back(
        self, library, acts, thread, reopened
    ):
        second = ids(library, thread)[1]
        assert acts.delete(thread, second, all_versions=False) == 3
        assert texts(library, thread) == texts(reopened(), thread) == ["q1"]
        assert acts.undo(thread, second) == "Deleted 3 messages"
        assert texts(library, thread) == texts(reopened(), thread) == ["q1", "a1", "q2", "a2"]

    def test_only_this_version_leaves_the_others(self, library, acts, thread):
        first = ids(library, thread)[0]
        edited = acts.edit(thread, first, "other words")
        assert acts.delete(thread, edited.id, all_versions=False) == 1
        assert texts(library, thread) == ["q1", "a1", "q2", "a2"]
        acts.undo(thread, edited.id)
        assert texts(library, thread) == ["other words"]

    def test_all_versions_go_together_and_come_back_together(self, library, acts, thread):
        first = ids(library, thread)[0]
        acts.edit(thread, first, "other words")
        assert acts.delete(thread, first, all_versions=True) == 5
        assert texts(library, thread) == []
        acts.undo(thread, first)
        assert texts(library, thread) == ["other words"]
        assert texts(library, thread, at=first) == ["q1", "a1", "q2", "a2"]

    def test_a_legacy_thread_can_be_cut_and_mended(self, library, acts, store, reopened):
        thread_id = library.create("t").id
        store.write(thread_id, [Put(said(id, at=1)) for id in ("u1", "a1", "u2")])
        acts.delete(thread_id, "a1", all_versions=False)
        assert ids(reopened(), thread_id) == ["u1"]
        acts.undo(thread_id, "a1")
        assert ids(reopened(), thread_id) == ids(library, thread_id) == ["u1", "a1", "u2"]

    def test_nothing_to_undo_says_so_and_a_second_undo_is_refused(self, library, acts, thread):
        last = ids(library, thread)[-1]
        with pytest.raises(NotFound, match="nothing to undo"):
            acts.undo(thread, last)
        acts.delete(thread, last, all_versions=False)
        acts.undo(thread, last)
        with pytest.raises(Conflict):
            acts.undo(thread, last)

    def test_an_answer_that_streams_elsewhere_survives_an_undo(self, library, acts, thread):
        last = ids(library, thread)[-1]
        acts.delete(thread, last, all_versions=False)
        pending = library.begin_answer(thread, ids(library, thread)[-1])
        library.extend_answer(thread, pending.id, "so far")
        acts.undo(thread, last)
        assert library.message(thread, pending.id).status == "pending"
        library.extend_answer(thread, pending.id, " and on")
        assert library.message(thread, pending.id).text == "so far and on"

    def test_a_question_under_a_deleted_message_is_refused_and_nothing_is_stored(
        self, library, acts, thread
    ):
        leaf = ids(library, thread)[-1]
        acts.delete(thread, ids(library, thread)[2], all_versions=False)
        with pytest.raises(NotFound, match="Reload"):
            library.ask(thread, "too late", after=leaf)
        assert texts(library, thread) == ["q1", "a1"]


class TestBranches:
    def test_names_and_stars_are_listed_among_the_threads_own_fields(
        self, library, acts, thread, reopened
    ):
        first, second, *_ = ids(library, thread)
        acts.mark(thread, first, name="  By the\n sea ", starred=False)
        acts.mark(thread, second, name="", starred=True)
        assert name_of(library.message(thread, first)) == "By the sea"
        [listed] = reopened().threads()
        assert listed.metadata["branches"] == [
            {"id": first, "label": "By the sea", "starred": False},
            {"id": second, "label": "a1", "starred": True},
        ]

    def test_deleting_takes_them_off_the_list_and_undo_puts_them_back(self, library, acts, thread):
        second = ids(library, thread)[1]
        acts.mark(thread, second, name="Kept", starred=True)
        acts.delete(thread, second, all_versions=False)
        assert library.view(thread).thread.metadata["branches"] == []
        acts.undo(thread, second)
        assert library.view(thread).thread.metadata["branches"][0]["label"] == "Kept"

    def test_a_name_can_be_taken_away_and_a_long_one_is_refused(self, library, acts, thread):
        first = ids(library, thread)[0]
        acts.mark(thread, first, name="Name", starred=True)
        acts.mark(thread, first, name="", starred=False)
        assert library.view(thread).thread.metadata["branches"] == []
        with pytest.raises(BadInput, match="81"):
            acts.mark(thread, first, name="x" * 81, starred=False)

    def test_the_map_shows_every_message_and_the_path_asked_for(self, library, acts, thread):
        first = ids(library, thread)[0]
        edited = acts.edit(thread, first, "other words")
        drawn, firsts = acts.map(thread)
        assert [each.id for each in firsts] == [spot.ids[0] for spot in drawn.spots]
        assert [spot.ids for spot in drawn.spots if spot.on_path] == [(edited.id,)]
        drawn, _ = acts.map(thread, first)
        assert sum(spot.on_path for spot in drawn.spots) == 4
        with pytest.raises(NotFound):
            acts.map(thread, "gone")


class TestForks:
    def test_the_path_becomes_a_thread_of_its_own_and_the_old_one_stays(
        self, library, acts, thread, reopened
    ):
        second = ids(library, thread)[1]
        forked = acts.fork(thread, second)
        for each in (library, reopened()):
            assert texts(each, forked.id) == ["q1", "a1"]
            assert texts(each, thread) == ["q1", "a1", "q2", "a2"]
        assert forked.title == "Harbour walk"
        assert not set(ids(library, forked.id)) & set(ids(library, thread))
        assert forked.metadata["forkedFrom"] == {"thread": thread, "message": second}
        library.ask(forked.id, "and on")
        assert texts(reopened(), forked.id) == ["q1", "a1", "and on"]

    def test_an_answer_that_is_being_written_cannot_be_forked_from(self, library, acts, thread):
        pending = library.begin_answer(thread, library.ask(thread, "q3").id)
        with pytest.raises(Conflict):
            acts.fork(thread, pending.id)


class TestAnswersToBeWritten:
    def test_planned_versions_are_there_at_once_and_the_first_is_shown(self, library, acts, thread):
        question = ids(library, thread)[2]
        planned = acts.begin_answers(thread, question, 3)
        shown = library.view(thread).shown[-1]
        assert shown.message.id == planned[0].id
        assert (shown.version, len(shown.versions), shown.writing) == (2, 4, 2)

    def test_those_never_begun_go_without_a_trace(self, library, acts, thread, reopened):
        question = ids(library, thread)[2]
        planned = acts.begin_answers(thread, question, 3)
        acts.forget_answers(thread, [planned[1].id, planned[2].id, "gone"])
        assert len(library.view(thread).shown[-1].versions) == 2
        assert len(reopened().view(thread).shown[-1].versions) == 2


def test_a_message_that_is_not_there_is_not_found_by_any_act(acts, thread):
    for act in (
        lambda: acts.edit(thread, "gone", "words"),
        lambda: acts.loss(thread, "gone"),
        lambda: acts.below(thread, "gone", all_versions=True),
        lambda: acts.delete(thread, "gone", all_versions=False),
        lambda: acts.undo(thread, "gone"),
        lambda: acts.mark(thread, "gone", name="x", starred=False),
        lambda: acts.fork(thread, "gone"),
        lambda: acts.begin_answers(thread, "gone", 2),
        lambda: acts.begin_continuation(thread, "gone"),
        lambda: acts.reopen_answer(thread, "gone"),
    ):
        with pytest.raises(NotFound):
            act()


def test_a_thread_from_elsewhere_comes_whole_and_changes_none_that_is_here(library):
    thread = new_thread(id="from-there", title="There", created=1)
    message = new_message(id="m", thread_id="from-there", role="user", text="a", created_at=1)
    library.acts.take_in(thread, [message])
    assert library.acts.whole("from-there") == (thread, [message])
    library.acts.take_in(thread.with_fields(title="Other"), [])
    assert library.acts.whole("from-there") == (thread, [message])
