"""Pins and mutes: one append each, with undo, never both."""

import pytest

from webapp.errors import NotFound


@pytest.fixture
def thread(library):
    return library.create("t").id


@pytest.fixture
def message(library, thread):
    return library.ask(thread, "Remember this.").id


def marks_of(library, thread, message):
    metadata = library.message(thread, message).metadata
    return metadata.get("pinned"), metadata.get("muted")


def test_a_message_is_pinned_or_muted_but_not_both(library, thread, message):
    library.marks.pin(thread, message, on=True)
    assert marks_of(library, thread, message) == (True, None)
    library.marks.mute(thread, message, on=True)
    assert marks_of(library, thread, message) == (None, True)
    library.marks.mute(thread, message, on=False)
    assert marks_of(library, thread, message) == (None, None)


def test_each_is_an_act_that_can_be_undone(library, thread, message):
    library.marks.pin(thread, message, on=True)
    assert library.past.changes(thread)[0].what == "Pinned a message"
    assert library.acts.undo(thread, message) == "Pinned a message"
    assert marks_of(library, thread, message) == (None, None)


def test_what_changes_nothing_writes_nothing(library, store, thread, message):
    library.marks.pin(thread, message, on=True)
    before = library.past.changes(thread)
    library.marks.pin(thread, message, on=True)
    assert library.past.changes(thread) == before


def test_facts_are_kept_with_a_message_with_or_without_a_sentence(library, thread, message):
    library.marks.keep(thread, message, {"summary": {"text": "x"}})
    assert library.message(thread, message).metadata["summary"] == {"text": "x"}
    assert library.past.changes(thread) == []
    library.marks.keep(thread, message, {"summary": None}, what="Removed the notes")
    assert library.message(thread, message).metadata.get("summary") is None
    assert library.past.changes(thread)[0].what == "Removed the notes"


def test_what_is_not_there_cannot_be_marked(library, thread):
    with pytest.raises(NotFound):
        library.marks.pin(thread, "nothing", on=True)
    with pytest.raises(NotFound):
        library.marks.mute("nowhere", "nothing", on=True)
