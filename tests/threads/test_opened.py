"""Threads that are open in memory."""

import threading

import pytest

from tests.threads.store_contract import said
from webapp.chat.messages import new_thread
from webapp.chat.records import Put
from webapp.errors import NotFound
from webapp.threads.opened import OpenThreads


@pytest.fixture
def open_threads(store):
    for number in range(5):
        store.create_thread(new_thread(id=f"t{number}", title=f"T{number}", created=number))
    return OpenThreads(store, keep=2)


def test_a_thread_stays_open_while_it_is_among_the_last_used(open_threads):
    with open_threads.held("t0") as first:
        pass
    with open_threads.held("t0") as again:
        assert again is first
    for other in ("t1", "t2"):
        with open_threads.held(other):
            pass
    with open_threads.held("t0") as anew:
        assert anew is not first


def test_a_thread_that_streams_is_never_closed(open_threads):
    with open_threads.held("t0") as streaming:
        streaming.writing.add("m1")
    for other in ("t1", "t2", "t3", "t4"):
        with open_threads.held(other):
            pass
    with open_threads.held("t0") as still:
        assert still is streaming


def test_an_unknown_thread_leaves_nothing_behind(open_threads):
    for wrong in ("nobody", "../other", ""):
        with pytest.raises(NotFound), open_threads.held(wrong):
            pass
    with pytest.raises(NotFound), open_threads.held("nobody"):
        pass


def test_one_thread_in_use_holds_up_nobody_who_looks_at_another(open_threads):
    seen = []

    def look():
        with open_threads.held("t1") as other:
            seen.append(other.thread.title)

    with open_threads.held("t0"):
        looking = threading.Thread(target=look)
        looking.start()
        looking.join(timeout=10)
    assert seen == ["T1"]


def test_idle_threads_are_forgotten_on_request_and_those_that_stream_are_not(open_threads):
    with open_threads.held("t0") as streaming:
        streaming.writing.add("m1")
    with open_threads.held("t1") as idle:
        pass
    open_threads.close_idle()
    with open_threads.held("t0") as still, open_threads.held("t1") as anew:
        assert still is streaming
        assert anew is not idle


def test_a_thread_in_doubt_is_read_again_and_goes_on_streaming(open_threads, store):
    with open_threads.held("t0") as opened:
        opened.writing.add("m1")
        opened.in_doubt = True
    store.write("t0", [Put(said("m1", thread_id="t0", status="pending"))])
    with open_threads.held("t0") as again:
        assert again is opened
        assert again.tree.message("m1").status == "pending"
        assert not again.in_doubt


@pytest.mark.parametrize(
    ("parents", "told"),
    [
        ({"u1": None, "a1": "u1", "u2": "gone"}, "1 message has lost its place"),
        ({"u1": None, "a1": "gone", "u2": "gone too"}, "2 messages have lost their place"),
        ({"u1": "u1", "a1": "u1"}, "1 message has lost its place"),
        ({"u1": "a1", "a1": "u1", "u2": "a1"}, "1 message has lost its place"),
        ({"u1": None, "a1": "u1", "u2": "a1"}, ""),
    ],
    ids=["an orphan", "two orphans", "its own parent", "a ring", "whole"],
)
def test_a_message_whose_place_is_lost_is_told_and_not_once_it_has_one(
    open_threads, store, parents, told
):
    roles = {"u": "user", "a": "assistant"}
    lines = [said(id, thread_id="t0", parent=to, role=roles[id[0]]) for id, to in parents.items()]
    store.write("t0", [Put(line) for line in lines])
    with open_threads.held("t0") as opened:
        assert " ".join(opened.notices)[: len(told) or None] == told
        assert set(opened.tree.active_path()) == set(parents)
        store.write("t0", [*opened.unwritten])
    open_threads.close_idle()
    with open_threads.held("t0") as again:
        assert bool(again.notices) == (parents["u1"] is not None)


def test_an_answer_that_was_saved_without_its_question_is_put_right_in_silence(open_threads, store):
    question = said("u1", thread_id="t0")
    store.write("t0", [Put(question), Put(said("a1", thread_id="t0", role="assistant"))])
    with open_threads.held("t0") as opened:
        assert opened.tree.parent("a1") == "u1"
        assert opened.notices == ()
