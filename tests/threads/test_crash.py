"""Killed at any moment, the store has every change it acknowledged."""

import multiprocessing
import random

import pytest

from tests.threads.crash_writer import Expected, found, write_until_killed
from tests.threads.store_contract import thread
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.sqlite import SqliteThreadStore


@pytest.mark.parametrize(
    ("open_store", "kills"), [(JsonlThreadStore, 200), (SqliteThreadStore, 80)]
)
def test_every_acknowledged_change_survives_kills_at_any_moment(open_store, kills, tmp_path, clock):
    chance = random.Random(20260101)
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.threads.crash_writer"])
    opened(open_store, tmp_path, clock, lambda store: store.create_thread(thread()))
    expected = Expected()
    next_act = 0
    for _ in range(kills):
        next_act = run_and_kill(processes, open_store, tmp_path, next_act, chance, expected)
        state = opened(open_store, tmp_path, clock, found)
        possible = list(expected.possible(next_act))
        assert state in possible
        # Go on from what is there: done over again, the act that was cut short is done whole.
        expected.messages, expected.title = dict(state[0]), state[1]
    assert next_act > kills
    changes = opened(open_store, tmp_path, clock, lambda store: store.changes("t"))
    assert len(changes) > kills


def opened(open_store, root, clock, look):
    store = open_store(root, clock)
    try:
        return look(store)
    finally:
        store.close()


def run_and_kill(processes, open_store, root, first, chance, expected):
    """Returns the number of the act that may or may not have been done."""
    receiving, sending = processes.Pipe(duplex=False)
    process = processes.Process(target=write_until_killed, args=(open_store, root, first, sending))
    process.start()
    sending.close()
    last = first - 1
    try:
        for _ in range(chance.randrange(7)):
            last = receiving.recv()
        process.join(chance.random() * 0.004)
    finally:
        process.kill()
        process.join()
    while receiving.poll():
        try:
            last = receiving.recv()
        except EOFError:
            break
    receiving.close()
    for number in range(first, last + 1):
        expected.follow(number)
    return last + 1
