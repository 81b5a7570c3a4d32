"""Waits after wrong passwords: none at first, then longer and longer, up to a limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.people.throttle import (
    FORGOTTEN_AFTER_MS,
    FREE,
    KEPT,
    LONGEST_MS,
    Failures,
    Try,
    guest_at,
    wait_ms,
)

NOW = 10**9
ADDRESS, NAME = Try("address", "192.168.1.9"), Try("name", "ada")


def test_the_first_few_tries_wait_for_nothing():
    for count in range(FREE):
        assert wait_ms([NOW] * count, NOW, 60_000) == 0


def test_then_each_wait_is_twice_the_one_before_up_to_the_longest():
    waits = [wait_ms([NOW] * count, NOW, 60_000) for count in range(FREE, 14)]
    assert waits == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000, 60_000]


@given(st.lists(st.integers(0, NOW), max_size=40), st.integers(0, 10**7))
def test_a_wait_is_never_longer_than_the_longest_and_runs_down(moments, later):
    failures = sorted(moments)
    wait = wait_ms(failures, NOW, 60_000)
    assert 0 <= wait <= 60_000
    assert wait_ms(failures, NOW + later, 60_000) <= max(0, wait - later)


def test_a_day_later_it_is_forgotten():
    assert wait_ms([NOW] * 20, NOW + FORGOTTEN_AFTER_MS, 60_000) == 0


def test_an_address_and_a_name_are_counted_each_by_itself():
    failures = Failures()
    for number in range(FREE):
        failures.add([ADDRESS, Try("name", str(number))], NOW)
    assert failures.wait_ms([ADDRESS, NAME], NOW) == 1000
    assert failures.wait_ms([NAME], NOW) == 0
    failures.forget([ADDRESS])
    assert failures.wait_ms([ADDRESS, NAME], NOW) == 0


@pytest.mark.parametrize(
    ("address", "guest"),
    [
        ("192.168.1.9", "192.168.1.9"),
        ("::ffff:192.168.1.9", "192.168.1.9"),
        ("2001:db8::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("no address", "no address"),
    ],
)
def test_one_house_is_one_guest(address, guest):
    assert guest_at(address) == guest


def test_what_was_no_failure_is_taken_back():
    failures = Failures()
    for moment in range(FREE):
        failures.add([ADDRESS], NOW + moment)
    failures.take_back([ADDRESS, NAME], NOW + 1)
    assert failures.wait_ms([ADDRESS], NOW + FREE) == 0
    failures.add([ADDRESS], NOW + FREE)
    assert failures.wait_ms([ADDRESS], NOW + FREE) == 1000


def test_a_name_cannot_be_locked_for_long_by_a_stranger():
    failures = Failures()
    for _ in range(1000):
        failures.add([ADDRESS, NAME], NOW)
    assert failures.wait_ms([NAME], NOW) == LONGEST_MS["name"] == 60_000
    assert failures.wait_ms([ADDRESS], NOW) == LONGEST_MS["address"]


def test_memory_stays_in_bounds_and_who_goes_on_trying_is_not_forgotten():
    failures = Failures(most=10)
    for number in range(1000):
        failures.add([ADDRESS, Try("name", f"name {number}")], NOW)
    assert len(failures) == 10
    assert failures.wait_ms([ADDRESS], NOW) > 0
    assert len(failures._moments[ADDRESS]) == KEPT
