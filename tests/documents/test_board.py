import threading
from pathlib import Path

import pytest

from webapp.documents.board import Board, FileState
from webapp.documents.file_facts import FileFacts, Problem
from webapp.documents.scope import thread_scope
from webapp.errors import NotFound

SCOPE, OTHER = thread_scope(Path("d"), "t1"), thread_scope(Path("d"), "t2")
SECONDS = 10


def facts(file_id="f1", **changes):
    return FileFacts(file_id, f"{file_id}.txt", **changes)


@pytest.fixture
def board():
    board = Board()
    for scope in (SCOPE, OTHER):
        board.open(scope, [])
    return board


def test_files_are_told_oldest_first(board):
    for file_id, added in (("f1", 5), ("f2", 3), ("f0", 5)):
        board.put(SCOPE, FileState(facts(file_id, added_ms=added), "waiting"))
    assert [state.id for state in board.now(SCOPE).files] == ["f2", "f0", "f1"]
    assert board.now(OTHER).files == ()


def test_each_change_is_another_version_of_its_own_scope_only(board):
    quiet = board.now(OTHER).version
    versions = [board.now(SCOPE).version]
    run = board.begin(SCOPE, FileState(facts(), "waiting"), "read")
    versions.append(board.now(SCOPE).version)
    board.progress(run, "reading", 1, 2)
    versions.append(board.now(SCOPE).version)
    board.change(SCOPE, facts(use="inline"))
    versions.append(board.now(SCOPE).version)
    board.settle(run, FileState(facts(), "ready"))
    versions.append(board.now(SCOPE).version)
    board.remove(SCOPE, "f1")
    versions.append(board.now(SCOPE).version)
    assert versions == sorted(set(versions))
    assert board.now(OTHER).version == quiet


def test_any_number_of_readers_wait_for_the_next_change(board):
    before, seen = board.now(SCOPE).version, []
    readers = [
        threading.Thread(target=lambda: seen.append(board.wait(SCOPE, before, SECONDS)))
        for _ in range(5)
    ]
    for reader in readers:
        reader.start()
    board.put(OTHER, FileState(facts(), "waiting"))
    board.put(SCOPE, FileState(facts(), "ready"))
    for reader in readers:
        reader.join()
    assert [now.files[0].stage for now in seen] == ["ready"] * 5
    assert board.wait(SCOPE, before + 100, 0.01) == board.now(SCOPE)


def test_a_cancelled_attempt_is_not_heard_any_more(board):
    old = board.begin(SCOPE, FileState(facts(), "waiting"), "read")
    stopped = FileState(facts(stage="stopped", problem=Problem("Enough.")), "stopped")
    board.put(SCOPE, stopped)
    new = board.begin(SCOPE, FileState(facts(), "waiting"), "embed")
    board.progress(old, "reading", 3, 4)
    board.settle(old, FileState(facts(), "ready"))
    assert old.cancelled.is_set() and not new.cancelled.is_set()
    assert board.state(SCOPE, "f1").stage == "waiting"
    assert board.run(SCOPE, "f1") is new
    board.settle(new, FileState(facts(), "ready"))
    assert board.run(SCOPE, "f1") is None
    assert board.state(SCOPE, "f1").is_ready


def test_facts_change_under_the_work_and_the_work_keeps_them(board):
    run = board.begin(SCOPE, FileState(facts(), "waiting"), "read")
    board.change(SCOPE, facts(use="inline"))
    board.progress(run, "reading", 1, 2)
    state = board.state(SCOPE, "f1")
    assert (state.facts.use, state.stage, state.done, state.total) == ("inline", "reading", 1, 2)


def test_who_works_for_a_closed_scope_is_not_heard(board):
    run = board.begin(SCOPE, FileState(facts(), "waiting"), "read")
    board.close(SCOPE)
    assert run.cancelled.is_set() and not board.is_open(SCOPE)
    late = board.begin(SCOPE, FileState(facts(), "waiting"), "read")
    board.progress(late, "reading")
    board.change(SCOPE, facts())
    assert board.now(SCOPE).files == ()
    board.open(SCOPE, [])
    assert board.now(SCOPE).files == ()
    with pytest.raises(NotFound):
        board.state(SCOPE, "f1")


def test_it_is_over_when_nothing_is_being_done(board):
    run = board.begin(SCOPE, FileState(facts(), "waiting"), "read")
    assert not board.wait_over(SCOPE, 0.01).files[0].is_over
    board.settle(run, FileState(facts(), "rejected"))
    assert board.wait_over(SCOPE, SECONDS).files[0].is_over


def test_at_the_end_all_attempts_are_cancelled_without_a_word(board):
    runs = [board.begin(scope, FileState(facts(), "waiting"), "read") for scope in (SCOPE, OTHER)]
    assert board.cancel_all() == runs
    assert all(run.cancelled.is_set() for run in runs)
    assert board.state(SCOPE, "f1").stage == "waiting"
