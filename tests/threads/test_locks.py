import threading

import pytest

from webapp.threads.locks import ThreadLocks


def test_one_thread_at_a_time_holds_a_lock_and_others_are_free():
    locks = ThreadLocks()
    order = []
    waits = threading.Event()

    def second():
        waits.set()
        with locks.hold("a"):
            order.append("second")

    with locks.hold("a"):
        other = threading.Thread(target=second)
        other.start()
        assert waits.wait(5)
        with locks.hold("b"):  # the table is free although someone waits for `a`
            order.append("first")
    other.join(5)
    assert order == ["first", "second"]


def test_locks_nobody_holds_are_forgotten():
    locks = ThreadLocks()
    for number in range(100):
        with locks.hold(str(number)):
            assert len(locks) == 1
    assert len(locks) == 0


def test_an_error_inside_gives_the_lock_back():
    locks = ThreadLocks()
    with pytest.raises(RuntimeError), locks.hold("a"):
        raise RuntimeError
    assert len(locks) == 0
    with locks.hold("a"):
        pass


def test_counting_under_a_lock_loses_nothing():
    locks, counts = ThreadLocks(), {"n": 0}

    def work():
        for _ in range(500):
            with locks.hold("a"):
                counts["n"] = counts["n"] + 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert counts["n"] == 4000
    assert len(locks) == 0
