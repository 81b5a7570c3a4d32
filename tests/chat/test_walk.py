"""From the newest backwards while there is room."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.walk import kept


def test_the_walk_stops_at_the_first_that_does_not_fit_even_if_an_older_one_would():
    assert kept([10, 50, 1], 30) == 1


def test_exactly_full_is_not_too_full():
    assert kept([10, 20], 30) == 2


def test_the_newest_stays_whatever_it_costs():
    assert kept([99], 10) == kept([99, 1], 10) == kept([5, 5], 0) == kept([5, 5], -7) == 1


def test_nothing_of_nothing():
    assert kept([], 10) == 0


def test_no_cost_is_asked_for_beyond_the_stop():
    asked = []

    def costs():
        for cost in (4, 4, 4, 4):
            asked.append(cost)
            yield cost

    assert kept(costs(), 8) == 2
    assert len(asked) == 3


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(-10, 400))
def test_what_is_kept_fits_and_one_more_would_not(costs, budget):
    count = kept(costs, budget)
    assert sum(costs[:count]) <= budget or count <= 1
    assert count == len(costs) or sum(costs[: count + 1]) > budget
