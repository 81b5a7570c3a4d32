"""Killed at any moment, the store has every change it acknowledged. STRATA_KILLS=1000 kills that
often instead of as often as every check can wait for."""

import os
import random
import shutil
import sys

import pytest

from tests.threads.crash_writer import (
    Expected,
    act,
    clock_of,
    found,
    processes,
    undo,
    write_until_killed,
)
from tests.threads.store_contract import thread
from webapp.threads import log
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.sqlite import SqliteThreadStore

_PER_THREAD = 20


@pytest.mark.parametrize(
    ("open_store", "kills"), [(JsonlThreadStore, 100), (SqliteThreadStore, 30)]
)
def test_every_acknowledged_change_survives_kills_at_any_moment(open_store, kills, tmp_path):
    chance = random.Random(20260101)
    kills = int(os.environ.get("STRATA_KILLS", kills))
    tally = {"acknowledged": 0, "cut short": 0, "torn": 0, "undone": 0}
    for first_run in range(0, kills, _PER_THREAD):
        runs = range(first_run, min(first_run + _PER_THREAD, kills))
        victim = Victim(open_store, tmp_path / str(first_run), processes(), chance, tally)
        for run in runs:
            victim.run_and_kill(run)
            victim.check(run)
        shutil.rmtree(victim.root)
    sys.stdout.write(f"{kills} kills, {tally}\n")
    assert tally["acknowledged"] > kills
    assert tally["undone"] >= kills // 100


class Victim:
    """A thread whose writing process is killed again and again."""

    def __init__(self, open_store, root, processes, chance, tally):
        self.open_store, self.root = open_store, root
        self.processes, self.chance, self.tally = processes, chance, tally
        self.expected = Expected()
        self.next_act = 0
        self.newest_is_acknowledged = False
        self.torn = set()
        root.mkdir()
        self.opened(root, 0, lambda store: store.create_thread(thread()))

    def opened(self, root, run, look):
        store = self.open_store(root, clock_of(run))
        try:
            return look(store)
        finally:
            store.close()

    def run_and_kill(self, run):
        receiving, sending = self.processes.Pipe(duplex=False)
        arguments = (self.open_store, self.root, run, self.next_act, sending)
        process = self.processes.Process(target=write_until_killed, args=arguments)
        process.start()
        sending.close()
        acknowledged = []
        try:
            for _ in range(self.chance.randrange(9)):
                acknowledged.append(receiving.recv())
            process.join(self.chance.random() * 0.004)
        finally:
            process.kill()
            process.join()
        while receiving.poll():
            try:
                acknowledged.append(receiving.recv())
            except EOFError:
                break
        receiving.close()
        for number in acknowledged:
            assert number == self.next_act
            self.expected.follow(number, run)
            self.next_act += 1
            self.newest_is_acknowledged = True
        self.tally["acknowledged"] += len(acknowledged)

    def check(self, run):
        self.check_lines()
        state = self.opened(self.root, run, found)
        acknowledged, before = self.expected.state, dict(self.expected.before)
        assert state in list(self.expected.steps(self.next_act, run))
        self.expected.before = before
        if state != acknowledged:
            self.tally["cut short"] += 1
            self.newest_is_acknowledged = False
        elif self.newest_is_acknowledged:
            self.check_undo(run)
        # Go on from what is there: done over again, the act that was cut short is done whole.
        self.expected.state = state

    def check_undo(self, run):
        """The last acknowledged act, if it has a name, can be taken back: tried on a copy."""
        what = act(self.next_act - 1)[0]
        before = self.expected.before.get(what)
        if what in ("", "rewrite") or before == self.expected.state:
            return
        copy = self.root.with_name("copy")
        shutil.copytree(self.root, copy)
        self.opened(copy, run + 1, lambda store: undo(store, what))
        assert self.opened(copy, run + 1, found) == before
        shutil.rmtree(copy)
        self.tally["undone"] += 1

    def check_lines(self):
        """Every line is whole, but for the last one and those that were torn as the last one."""
        for path in (self.root / "threads" / "t").glob("*.jsonl"):
            lines = path.read_bytes().splitlines(keepends=True)
            if lines and not lines[-1].endswith(b"\n"):
                self.torn.add(lines[-1])
                self.tally["torn"] += 1
            known = {line.rstrip(b"\n") for line in self.torn}
            assert all(is_whole(line) or line.rstrip(b"\n") in known for line in lines)


def is_whole(line):
    try:
        return line.endswith(b"\n") and log.unseal(line.strip())[3]
    except log.UnreadableError:
        return False
