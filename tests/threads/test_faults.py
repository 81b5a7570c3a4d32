"""Whichever call to the disk goes wrong: what was saved is there, and what failed is whole or
absent, said in words, and works when it is tried again."""

import itertools
import shutil
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.conftest import Clock
from tests.threads import lives
from tests.threads.crash_writer import processes
from tests.threads.disk_faults import (
    DEAD,
    Disk,
    broken_for_good,
    death,
    death_in_a_write,
    error_once,
    folder_in_memory,
    full_once,
    no_file_grows_beyond,
)
from tests.threads.lives import ACTS, NAMED, Life, seen
from webapp.errors import StrataError
from webapp.threads import backend
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.migration import migrate
from webapp.threads.sqlite import SqliteThreadStore

_UNCERTAIN = "It is not certain"
_DONE = "was emptied, but"


class Stage:
    """A life to be copied for every fault, and what each act makes of it."""

    def __init__(self, open_store, folder):
        self.open_store, self.folder = open_store, folder
        self.root = folder / "life"
        lives.live(open_store, self.root)
        self._known = {}

    @contextmanager
    def fresh(self, name):
        """A copy in which all is ready for that act, looked at as a page would."""
        root = self.folder / "copy"
        shutil.copytree(self.root, root)
        life = Life(self.open_store, root)
        try:
            ACTS[name].before(life)
            life.shown()
            yield life
        finally:
            life.close()
            shutil.rmtree(root)

    def around(self, name):
        """What is seen before and after the act, and the calls it makes."""
        if name not in self._known:
            with self.fresh(name) as life:
                before = self.seen(life)
                with Disk().watching() as disk:
                    ACTS[name].do(life)
                self._known[name] = before, self.seen(life), disk.calls
        return self._known[name]

    def seen(self, life):
        return seen(self.open_store, life.root)


@pytest.fixture(scope="module", params=[JsonlThreadStore, SqliteThreadStore])
def stage(request):
    with folder_in_memory() as folder:
        yield Stage(request.param, folder)


@pytest.fixture(scope="module")
def database():
    with folder_in_memory() as folder:
        yield Stage(SqliteThreadStore, folder)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_whole_or_absent_whichever_call_fails(stage, name):
    before, after, calls = stage.around(name)
    if stage.open_store is JsonlThreadStore:
        assert calls
        assert before != after or name in ("rewrite", "tidy up")
    for at in range(len(calls)):
        once = full_once if calls[at] == "write" else error_once
        for how in (once, broken_for_good):
            with stage.fresh(name) as life:
                where = f"{name}: call {at}, {calls[at]}, {how.__name__}"
                said = fails(life, name, Disk(at, how).watching())
                check(stage, life, name, said, where)


@pytest.mark.parametrize("name", [name for name in ACTS if name != "tidy up"])
def test_an_act_on_a_database_is_whole_or_absent_wherever_the_disk_runs_full(database, name):
    database.around(name)
    room, said = 0, "not tried yet"
    while said:
        with database.fresh(name) as life:
            size = (life.root / "threads.sqlite3-wal").stat().st_size
            said = fails(life, name, no_file_grows_beyond(size + room))
            check(database, life, name, said, f"{name}: room for {room} bytes")
        room += 4200
        assert room < 1_000_000


def fails(life, name, fault):
    """The sentence with which the act failed; empty when it did not."""
    try:
        with fault:
            ACTS[name].do(life)
    except StrataError as error:
        assert error.what and error.do
        return str(error)
    return ""


def check(stage, life, name, said, where):
    before, after, _ = stage.around(name)
    found = stage.seen(life)
    if said.startswith(_UNCERTAIN):
        assert is_as_after_a_crash(found, before, after), where
        return
    if not said or _DONE in said:
        assert found == after, where
    else:
        assert found == before, where
        ACTS[name].do(life)
        assert stage.seen(life) == after, where
    agree(stage, life, where)
    if name in NAMED:
        life.undo()
        assert without_changes(stage.seen(life)) == without_changes(before), where


def agree(stage, life, where):
    """What the library has in memory is what is on the disk."""
    other = Life(stage.open_store, life.root)
    try:
        assert life.shown() == other.shown(), where
    finally:
        other.close()


def without_changes(seen):
    return {title: replace(each, changes=[]) for title, each in seen.threads.items()}


# --- moving to the other kind of store ---


@pytest.mark.parametrize("to", ["sqlite", "jsonl"])
def test_threads_are_moved_whole_or_not_at_all_whichever_call_fails(to):
    was = next(kind for kind in backend.KINDS if kind != to)
    with folder_in_memory() as folder:
        lives.live(backend.open_store, folder / "life")
        if was == "sqlite":
            migrate(folder / "life", was, Clock())
        before = seen(backend.open_store, folder / "life")
        for at in itertools.count():
            root = folder / "copy"
            shutil.copytree(folder / "life", root)
            disk = Disk(at, error_once)
            try:
                with disk.watching():
                    migrate(root, to, Clock())
            except StrataError as error:
                where = f"call {at}, {disk.calls[at]}: {error}"
                assert backend.kind_of(root) == was, where
                assert seen(backend.open_store, root) == before, where
                migrate(root, to, Clock())
            assert backend.kind_of(root) == to
            assert seen(backend.open_store, root) == before
            shutil.rmtree(root)
            if at >= len(disk.calls):
                return


# --- death ---


def die(open_store, root, start, name, at, how):
    life = Life(open_store, root, start)
    ACTS[name].before(life)
    life.shown()
    with Disk(at, how).watching():
        ACTS[name].do(life)


@pytest.fixture
def killed(stage):
    """A copy in which a process died at that call of an act."""

    @contextmanager
    def kill(name, at, how):
        root = stage.folder / "dead"
        shutil.copytree(stage.root, root)
        try:
            process = processes().Process(
                target=die, args=(stage.open_store, root, lives.later(), name, at, how)
            )
            process.start()
            process.join()
            assert process.exitcode == DEAD
            life = Life(stage.open_store, root)
            yield life
            life.close()
        finally:
            shutil.rmtree(root)

    return kill


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_whole_or_absent_wherever_the_process_dies(stage, killed, name):
    before, after, calls = stage.around(name)
    for at, call in enumerate(calls):
        where = f"{name}: call {at}, {call}"
        with killed(name, at, death) as life:
            found = stage.seen(life)
            assert is_as_after_a_crash(found, before, after), where
            if found == before and "answer" not in name:
                ACTS[name].do(life)
                assert stage.seen(life) == after, where
            elif found != after and name.startswith("undo"):
                life.undo()
                assert without_changes(stage.seen(life)) == without_changes(after), where
            if name in NAMED:
                life.undo()
                assert without_changes(stage.seen(life)) == without_changes(before), where


@pytest.mark.parametrize("name", ACTS)
def test_a_death_in_the_middle_of_a_write_costs_no_message_that_was_there(stage, killed, name):
    before, after, calls = stage.around(name)
    for at, call in enumerate(calls):
        if call == "write":
            with killed(name, at, death_in_a_write) as life:
                where = f"{name}: call {at}"
                old, new, found = (
                    set(messages(each)) for each in (before, after, stage.seen(life))
                )
                assert old & new <= found, where
                life.library.ask(life.t, "Is it still there?")
                agree(stage, life, where)


def messages(seen):
    return [(title, text) for title, each in seen.threads.items() for text, *_ in each.messages]


def told_apart(seen):
    """Without the notice of a torn line, which is no part of the act."""
    return replace(
        seen, threads={title: replace(each, notices=()) for title, each in seen.threads.items()}
    )


def is_as_after_a_crash(found, before, after):
    """Old or new, or one of two that are said to be possible: a root that was not set yet, and a
    trash that is emptied thread by thread."""
    found = told_apart(found)
    fewer = set(after.trash) <= set(found.trash) <= set(before.trash) != set(after.trash)
    if fewer and before.threads == after.threads:
        return found.threads == told_apart(before).threads
    return found in [told_apart(before), told_apart(after), *halves(before, after)]


def halves(before, after):
    """The messages of an act without the active root that goes with it: see `ThreadStore.write`."""
    threads = {
        title: replace(each, root=_still_there(before.threads[title].root, each))
        for title, each in after.threads.items()
        if title in before.threads
    }
    return [told_apart(replace(after, threads=threads))]


def _still_there(root, thread):
    return root if root in {text for text, *_ in thread.messages} else None
