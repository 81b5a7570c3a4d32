"""The one writer: what a person does to a thread, and what is found afterwards."""

import json

import pytest

from webapp.errors import BadInput, NotFound
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary


def texts(library, thread_id, **where):
    return [each.message.text for each in library.view(thread_id, **where).shown]


def answered(library, thread_id, question, answer, after=None):
    asked = library.ask(thread_id, question, after=after)
    return version(library, thread_id, asked.id, answer)


def version(library, thread_id, question_id, text):
    pending = library.begin_answer(thread_id, question_id)
    library.finish_answer(thread_id, pending.id, text=text, status="ready", error="", usage={})
    return pending.id


@pytest.fixture
def thread(library):
    return library.create("Harbour walk").id


@pytest.fixture
def reopened(tmp_path, clock, new_id):
    """A library that never saw what was done before: as after a restart."""
    stores = []

    def open_again():
        stores.append(JsonlThreadStore(tmp_path / "data", clock))
        return ThreadLibrary(stores[-1], clock_ms=clock, new_id=new_id)

    yield open_again
    for store in stores:
        store.close()


def test_a_conversation_reads_in_the_order_it_was_held_also_after_a_restart(
    library, thread, reopened
):
    answered(library, thread, "q1", "a1")
    answered(library, thread, "q2", "a2")
    assert texts(library, thread) == ["q1", "a1", "q2", "a2"]
    assert texts(reopened(), thread) == ["q1", "a1", "q2", "a2"]


def test_a_second_version_is_shown_and_the_first_is_one_switch_away(library, thread, reopened):
    first = answered(library, thread, "q", "one")
    version(library, thread, library.question_of(thread, first), "two")
    version(library, thread, library.question_of(thread, first), "three")
    shown = library.view(thread).shown[-1]
    assert (shown.message.text, shown.version, len(shown.versions)) == ("three", 3, 3)
    assert shown.next_version is None
    library.switch(thread, shown.previous_version)
    assert texts(library, thread) == ["q", "two"]
    assert texts(reopened(), thread) == ["q", "two"]


def test_switching_away_and_back_brings_back_the_deep_path(library, thread, reopened):
    first = answered(library, thread, "q1", "a1")
    answered(library, thread, "q2", "a2")
    other = version(library, thread, library.question_of(thread, first), "a1 again")
    assert texts(library, thread) == ["q1", "a1 again"]
    library.switch(thread, first)
    assert texts(reopened(), thread) == ["q1", "a1", "q2", "a2"]
    library.switch(thread, other)
    assert texts(reopened(), thread) == ["q1", "a1 again"]


def test_a_stale_tab_writes_below_the_newest_leaf_of_what_it_showed(library, thread):
    leaf = answered(library, thread, "q1", "a1")
    answered(library, thread, "q2", "a2", after=leaf)
    library.ask(thread, "q3", after=leaf)
    assert texts(library, thread) == ["q1", "a1", "q2", "a2", "q3"]


def test_a_question_after_a_message_that_is_not_there_is_refused_and_nothing_is_stored(
    library, thread
):
    answered(library, thread, "q1", "a1")
    with pytest.raises(NotFound, match="Reload"):
        library.ask(thread, "q2", after="nowhere")
    assert texts(library, thread) == ["q1", "a1"]


def test_a_page_gets_the_last_messages_and_earlier_ones_on_demand(library, thread):
    for number in range(10):
        answered(library, thread, f"q{number}", f"a{number}")
    view = library.view(thread, limit=6)
    assert view.shown[0].message.text == "q7"
    assert view.total == 20
    earlier = library.view(thread, before=view.earlier, limit=100)
    assert earlier.shown[-1].message.text == "a6"
    assert earlier.earlier is None


def test_a_view_at_a_message_shows_its_branch_and_moves_no_pointer(library, thread):
    first = answered(library, thread, "q", "one")
    version(library, thread, library.question_of(thread, first), "two")
    assert texts(library, thread, at=first) == ["q", "one"]
    assert texts(library, thread) == ["q", "two"]


def test_a_streaming_answer_survives_a_crash_up_to_its_last_checkpoint_marked_stopped(
    library, thread, reopened
):
    asked = library.ask(thread, "q")
    pending = library.begin_answer(thread, asked.id)
    library.extend_answer(thread, pending.id, "so ")
    library.extend_answer(thread, pending.id, "far")
    found = reopened().view(thread).shown[-1].message
    assert (found.text, found.status) == ("so far", "stopped")


def test_reading_writes_nothing_and_the_next_write_settles_what_was_found(
    library, thread, reopened, tmp_path
):
    pending = library.begin_answer(thread, library.ask(thread, "q").id)
    library.extend_answer(thread, pending.id, "so far")
    log = tmp_path / "data" / "threads" / thread / "messages.jsonl"
    before = log.read_bytes()
    again = reopened()
    again.view(thread)
    assert log.read_bytes() == before
    again.ask(thread, "next")
    assert reopened().message(thread, pending.id).status == "stopped"
    assert json.loads(log.read_text("utf-8").splitlines()[-1])["content"][0]["text"]["value"]


def test_finishing_twice_keeps_links_made_meanwhile(library, thread):
    first = answered(library, thread, "q1", "a1")
    library.ask(thread, "q2")
    library.finish_answer(thread, first, text="a1", status="ready", error="", usage={})
    assert texts(library, thread) == ["q1", "a1", "q2"]


def test_the_first_question_gives_an_untitled_thread_its_title(library):
    thread = library.create().id
    library.ask(thread, "Where is the fish market? And the lighthouse?")
    [listed] = library.threads()
    assert listed.title == "Where is the fish market? And the lighthouse?"


def test_a_rename_keeps_its_place_in_the_list_and_is_there_after_a_restart(library, reopened):
    old = library.create("old").id
    library.create("new")
    library.rename(old, "  Renamed\n by hand ")
    assert [each.title for each in reopened().threads()] == ["new", "Renamed by hand"]
    with pytest.raises(BadInput):
        library.rename(old, " ")


def test_a_deleted_thread_is_in_the_trash_and_comes_back_as_it_was(library, thread):
    answered(library, thread, "q", "a")
    library.delete(thread)
    assert library.threads() == []
    assert [each.title for each in library.trash()] == ["Harbour walk"]
    with pytest.raises(NotFound):
        library.view(thread)
    library.restore(thread)
    assert texts(library, thread) == ["q", "a"]


@pytest.mark.parametrize("thread_id", ["../other", "a/b", ".", "", "x" * 65, "nobody"])
def test_an_id_that_is_none_is_not_found(library, thread_id):
    with pytest.raises(NotFound):
        library.view(thread_id)
    with pytest.raises(NotFound):
        library.delete(thread_id)


def test_a_thread_whose_thread_json_is_broken_can_be_read_and_written_and_is_not_overwritten(
    library, thread, reopened, tmp_path
):
    answered(library, thread, "q", "a")
    about = tmp_path / "data" / "threads" / thread / "thread.json"
    about.write_text('{"id": "x" "broken"', "utf-8")
    again = reopened()
    view = again.view(thread)
    assert view.damaged
    assert [each.message.text for each in view.shown] == ["q", "a"]
    answered(again, thread, "q2", "a2")
    assert about.read_text("utf-8") == '{"id": "x" "broken"'
    assert texts(reopened(), thread) == ["q", "a", "q2", "a2"]


def test_the_instructions_of_the_threads_assistant_are_found_and_none_means_none(library, store):
    thread = library.create("t")
    assert library.instructions(thread.id) == ""
    told = library.create("u")
    store.modify_thread(told.with_fields(assistants=[{"instructions": "Be brief."}]))
    assert library.instructions(told.id) == "Be brief."


def test_settings_of_the_window_are_the_threads_own_and_can_be_taken_back(library):
    thread = library.create("t").id
    library.set_window(thread, {"max_context_tokens": 900})
    library.set_window(thread, {"max_context_tokens": 900})
    assert library.thread(thread).metadata["window"] == {"max_context_tokens": 900}
    changes = library.past.changes(thread)
    assert [each.what for each in changes] == ["Changed the window's settings"]
    library.past.undo(thread, changes[0].id)
    assert not library.thread(thread).metadata.get("window")
