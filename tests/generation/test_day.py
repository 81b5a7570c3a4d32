"""Whose day it is."""

import threading
from datetime import date, datetime

import pytest

from webapp.generation.day import begins_at, day, read_in, readers_zone

# 2026-07-26 in UTC, and in New York; 27 July in Tokyo: field case F91.
MOMENT_MS = int(datetime.fromisoformat("2026-07-27T06:00+09:00").timestamp() * 1000)


@pytest.mark.parametrize(
    ("zone", "number"),
    [("Asia/Tokyo", 27), ("UTC", 26), ("America/New_York", 26), ("Pacific/Kiritimati", 27)],
)
def test_it_is_the_readers_own_and_not_that_of_greenwich(zone, number):
    assert day(MOMENT_MS, zone) == date(2026, 7, number)


@pytest.mark.parametrize(
    "odd", ["", "Nowhere/Land", "../../etc/passwd", "/etc", "\0", "x" * 999, "Asia", "\ud800"]
)
def test_a_zone_nobody_knows_is_the_machines(odd):
    assert day(MOMENT_MS, odd) == datetime.fromtimestamp(MOMENT_MS / 1000).date()


def test_readers_in_two_threads_do_not_meet():
    read_in("Asia/Tokyo")
    seen = []
    other = threading.Thread(target=lambda: seen.append(readers_zone()))
    other.start()
    other.join()
    assert (seen, readers_zone()) == ([""], "Asia/Tokyo")
    read_in("")


def test_a_day_begins_when_it_does_there():
    begin = begins_at(date(2026, 7, 27), "Asia/Tokyo")
    assert day(begin, "Asia/Tokyo") == date(2026, 7, 27)
    assert day(begin - 1, "Asia/Tokyo") == date(2026, 7, 26)
    assert begins_at(date(2026, 7, 27), "UTC") - begin == 9 * 3600 * 1000
