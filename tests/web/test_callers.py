"""Who is connected."""

import subprocess
import sys

import pytest
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


def test_all_together_leave_room_for_files():
    callers = Callers(2, most_of_all=3)
    came = [callers.come(line, f"192.168.1.{line}") for line in range(1, 5)]
    assert came == [True, True, True, False]
    callers.leave(1)
    assert callers.come(5, HERE)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit on Windows")
@pytest.mark.parametrize(("soft", "hard", "room"), [(200, 400, 200), (256, 1_000_000, 1024)])
def test_half_of_the_files_that_the_system_gives_are_for_connections(soft, hard, room):
    lines = (
        "import resource as r",
        f"r.setrlimit(r.RLIMIT_NOFILE, ({soft}, min({hard}, r.getrlimit(r.RLIMIT_NOFILE)[1])))",
        "from webapp.web.callers import room_for_all",
        "print(room_for_all(), r.getrlimit(r.RLIMIT_NOFILE)[0])",
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    told = subprocess.run(command, check=False, capture_output=True, text=True)
    assert told.stdout.split() == [str(room), str(min(hard, 4096))], told.stderr


@given(st.lists(st.sampled_from([HERE, THERE, "::1", "fe80::1%eth0"])))
def test_nothing_is_kept_of_who_has_left(addresses):
    callers = Callers(3)
    for line, address in enumerate(addresses):
        callers.come(line, address)
    for line in range(len(addresses)):
        callers.leave(line)
    assert not callers._open
    assert not callers._counts
