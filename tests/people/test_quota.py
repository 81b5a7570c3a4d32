"""What one person may take within a while."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.errors import TooOften
from webapp.people.quota import Quota

MINUTE = 60_000


def test_one_person_waits_until_there_is_room_and_nobody_else_does():
    quota = Quota(3, MINUTE, "files")
    for moment in (0, 1000, 2000):
        quota.take("ada", 1, moment)
    with pytest.raises(TooOften, match="more files than one person") as told:
        quota.take("ada", 1, 3000)
    assert told.value.seconds == 57
    assert "57 seconds" in told.value.do
    quota.take("ben", 1, 3000)
    quota.take("ada", 1, MINUTE)


def test_what_was_refused_does_not_count():
    quota = Quota(2, MINUTE, "files")
    quota.take("ada", 2, 0)
    for moment in range(1, 10):
        with pytest.raises(TooOften):
            quota.take("ada", 1, moment)
    quota.take("ada", 2, MINUTE)


def test_what_is_larger_than_all_goes_alone():
    quota = Quota(10, MINUTE, "bytes")
    quota.take("ada", 50, 0)
    with pytest.raises(TooOften):
        quota.take("ada", 1, 1)


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 4)), max_size=60))
def test_in_no_window_there_is_more_than_the_limit(steps):
    quota, now, taken = Quota(6, 10_000, "files"), 0, []
    for pause, amount in steps:
        now += pause
        try:
            quota.take("ada", amount, now)
        except TooOften:
            continue
        taken.append((now, amount))
        assert sum(each for at, each in taken if now - at < 10_000) <= 6
