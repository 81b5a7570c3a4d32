"""Work that nobody waits for."""

import threading

from webapp.documents.background import Background
from webapp.errors import Conflict


def test_jobs_are_done_one_at_a_time_in_their_order(background):
    done = []
    for name in "abc":
        background.add(name, lambda name=name: done.append(name))
    assert background.wait(5)
    assert done == ["a", "b", "c"]


def test_of_jobs_that_wait_with_one_key_one_is_done(background):
    begun, go_on, done = threading.Event(), threading.Event(), []
    background.add("first", lambda: (begun.set(), go_on.wait(5)))
    assert begun.wait(5)
    for number in range(5):
        background.add("same", lambda number=number: done.append(number))
    go_on.set()
    assert background.wait(5)
    assert done == [0]


def test_a_job_that_fails_does_not_stop_the_others(background, caplog):
    done = []

    def refuse():
        raise Conflict("Not now.")

    background.add("sentence", refuse)
    background.add("fault", lambda: 1 / 0)
    background.add("good", lambda: done.append(1))
    assert background.wait(5)
    assert done == [1]
    assert "Not now." in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_closing_ends_the_job_in_hand_and_forgets_the_others():
    background, done = Background(), []
    begun, go_on = threading.Event(), threading.Event()
    background.add("first", lambda: (begun.set(), go_on.wait(5), done.append("first")))
    background.add("second", lambda: done.append("second"))
    assert begun.wait(5)
    assert not background.wait(0)
    closing = threading.Thread(target=background.close)
    closing.start()
    go_on.set()
    closing.join(5)
    background.add("third", lambda: done.append("third"))
    assert done == ["first"]
    assert background.is_closed()
    background.close()


def test_a_job_for_later_is_done_later_and_nobody_waits_for_it(background):
    done, due = [], threading.Event()
    background.add("later", lambda: (done.append("later"), due.set()), 0.05)
    background.add("far", lambda: done.append("far"), 1000)
    background.add("now", lambda: done.append("now"))
    assert background.wait(5)
    assert due.wait(5)
    assert done == ["now", "later"]
