"""Readers of a growing answer."""

import threading

from webapp.generation.broadcast import LiveAnswer


def test_a_reader_that_waits_is_woken_by_the_next_change():
    live = LiveAnswer("t", "m")
    seen = []
    reader = threading.Thread(target=lambda: seen.append(live.wait(0, timeout=10)))
    reader.start()
    live.grow("Hi")
    reader.join(timeout=10)
    assert (seen[0].text, seen[0].phase) == ("Hi", "writing")


def test_a_slow_reader_gets_everything_in_one_step():
    live = LiveAnswer("t", "m")
    for piece in ("a", "b", "c"):
        live.grow(piece)
    assert live.wait(0, timeout=0).text == "abc"


def test_waiting_ends_at_the_time_out_with_the_state_as_it_is():
    live = LiveAnswer("t", "m")
    assert live.wait(0, timeout=0.01).version == 0


def test_showing_the_same_phase_again_is_no_change():
    live = LiveAnswer("t", "m")
    live.show("reading", "Reading 1 of 2 tokens.")
    version = live.snapshot().version
    live.show("reading", "Reading 1 of 2 tokens.")
    assert live.snapshot().version == version


def test_an_answer_that_is_over_says_so_to_who_waits_for_its_end():
    live = LiveAnswer("t", "m")
    waiter = threading.Thread(target=lambda: live.wait_done(timeout=10))
    waiter.start()
    live.show("stopped")
    waiter.join(timeout=10)
    assert not waiter.is_alive()
    assert live.snapshot().done
