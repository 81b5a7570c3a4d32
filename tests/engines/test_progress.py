"""Rates, time left, and stopping."""

import threading

import pytest

from webapp.engines.progress import Meter, Stopped, silent


class Told:
    def __init__(self):
        self.now = 0.0
        self.steps = []
        self.cancel = threading.Event()
        self.meter = Meter(self.steps.append, "Model", self.cancel, lambda: self.now)

    def after(self, seconds, stage, done, total=1000):
        self.now += seconds
        self.meter.report(stage, done, total)


@pytest.fixture
def told():
    return Told()


def test_rate_and_time_left_follow_from_what_came(told):
    told.after(0, "downloading", 0)
    told.after(1, "downloading", 100)
    told.after(1, "downloading", 200)
    step = told.steps[-1]
    assert (step.rate, step.seconds_left) == (100, 8)


def test_the_rate_is_that_of_the_last_seconds(told):
    for n in range(11):
        told.after(1, "downloading", n)
    for n in range(1, 11):
        told.after(1, "downloading", 10 + 50 * n)
    assert told.steps[-1].rate == 50


def test_a_new_part_goes_on_with_the_same_rate_and_a_new_stage_begins_anew(told):
    told.after(0, "downloading part 1 of 2", 0)
    told.after(1, "downloading part 2 of 2", 500)
    assert told.steps[-1].rate == 500
    told.after(1, "checking", 10)
    assert told.steps[-1].rate is None


def test_bytes_that_were_there_before_do_not_count_as_fast(told):
    told.after(0, "downloading", 900)
    told.after(1, "downloading", 910)
    assert told.steps[-1].rate == 10


def test_a_reader_is_told_at_most_ten_times_a_second_and_of_the_end(told):
    for done in range(1000):
        told.after(0.001, "downloading", done)
    told.after(0, "downloading", 1000)
    assert 8 <= len(told.steps) <= 13
    assert told.steps[-1].done == 1000


def test_a_total_of_nothing_is_fine(told):
    told.after(0, "asking", 0, 0)
    assert told.steps[-1].seconds_left is None


def test_a_report_after_the_stop_raises(told):
    told.cancel.set()
    with pytest.raises(Stopped, match="goes on where it stopped"):
        told.after(0, "downloading", 1)
    assert told.steps == []


def test_waiting_ends_with_the_stop(told):
    told.cancel.set()
    with pytest.raises(Stopped):
        Meter(silent, "Model", told.cancel).wait(60)
