"""Who is connected."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.web.callers import Callers

HERE, THERE = "192.168.1.2", "192.168.1.3"


def test_each_address_has_room_of_its_own():
    callers = Callers(2)
    assert [callers.come(line, HERE) for line in range(3)] == [True, True, False]
    assert callers.come(3, THERE)
    callers.leave(0)
    callers.leave(0)
    assert callers.come(4, HERE)
    assert not callers.come(5, HERE)


def test_one_house_does_not_come_as_many_by_its_many_addresses():
    callers = Callers(2)
    came = [callers.come(line, f"2001:db8:0:1::{line}") for line in range(1, 4)]
    assert came == [True, True, False]
    assert callers.come(4, "2001:db8:0:2::1")


@given(st.lists(st.sampled_from([HERE, THERE, "::1", "fe80::1%eth0"])))
def test_nothing_is_kept_of_who_has_left(addresses):
    callers = Callers(3)
    for line, address in enumerate(addresses):
        callers.come(line, address)
    for line in range(len(addresses)):
        callers.leave(line)
    assert not callers._open
    assert not callers._counts
