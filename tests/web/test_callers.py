"""Who is connected."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.web.callers import Callers

HERE, THERE = "192.168.1.2", "192.168.1.3"


def test_each_address_has_room_of_its_own():
    callers = Callers(2)
    assert [callers.come(HERE) for _ in range(3)] == [True, True, False]
    assert callers.come(THERE)
    callers.leave(HERE)
    assert callers.come(HERE)
    assert not callers.come(HERE)


def test_one_house_does_not_come_as_many_by_its_many_addresses():
    callers = Callers(2)
    assert [callers.come(f"2001:db8:0:1::{n}") for n in range(1, 4)] == [True, True, False]
    assert callers.come("2001:db8:0:2::1")


@given(st.lists(st.sampled_from([HERE, THERE, "::1", "fe80::1%eth0"])))
def test_nothing_is_kept_of_who_has_left(addresses):
    callers = Callers(3)
    let_in = [each for each in addresses if callers.come(each)]
    for each in let_in:
        callers.leave(each)
    assert not callers._open
