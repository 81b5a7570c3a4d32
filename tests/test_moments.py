import time

import pytest

from webapp.moments import long_date, moment


@pytest.fixture
def in_utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_time_is_told_with_its_day(in_utc):
    assert long_date(1_767_225_600_000) == "1 January 2026, 00:00"


@pytest.mark.parametrize("number", [1e300, float("nan"), float("inf"), -1e300])
def test_what_is_no_time_is_not_told(number):
    assert moment(number) is None
    assert long_date(number) == long_date(0) == ""
