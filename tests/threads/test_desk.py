"""Store and tree change in one step."""

import pytest

from webapp.chat.records import Append, Decision, Put
from webapp.errors import NotFound
from webapp.threads.desk import Desk


@pytest.fixture
def desk(store, clock, new_id):
    return Desk(store, clock_ms=clock, new_id=new_id, keep_open=2)


@pytest.fixture
def thread(library):
    return library.create("t").id


def test_what_is_written_is_in_the_tree_and_on_disk(desk, store, thread):
    with desk.held(thread) as opened:
        question = desk.new_message("user", thread, "q", None)
        desk.decide(opened, Decision((Put(question),)))
        desk.write(opened, (Append(question.id, "!"),), durable=False)
        assert opened.tree.message(question.id).text == "q!"
    assert [each.text for each in store.read(thread).messages] == ["q!"]


def test_an_act_is_listed_apart_from_what_reading_repaired(desk, store, thread):
    lost = desk.new_message("assistant", thread, "half", None).with_fields(status="pending")
    store.write(thread, [Put(lost)])
    with desk.held(thread) as opened:
        assert opened.unwritten
        desk.write(opened, (Append(lost.id, "!"),), what="Added a mark")
    [change] = store.changes(thread)
    store.undo(thread, change.id)
    [message] = store.read(thread).messages
    assert (message.text, message.status) == ("half", "stopped")


def test_showing_what_is_shown_writes_nothing(desk, store, thread, tmp_path):
    log = tmp_path / "data/threads" / thread / "messages.jsonl"
    with desk.held(thread) as opened:
        desk.decide(opened, Decision((Put(desk.new_message("user", thread, "q", None)),)))
        before = log.read_bytes()
        desk.decide(opened, desk.showing(opened, next(iter(opened.tree))))
    assert log.read_bytes() == before


def test_a_thread_that_is_not_there_is_not_found(desk):
    with pytest.raises(NotFound), desk.held("nobody"):
        pass
