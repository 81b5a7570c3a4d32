import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.forest import STRIDE, Forest, Seed

DEEP = 3 * STRIDE**2 + 5


def straight(length, prefix="m", start=None):
    parents = [start, *(f"{prefix}{n}" for n in range(length - 1))]
    return [Seed(f"{prefix}{n}", (float(n), n), parent, None) for n, parent in enumerate(parents)]


def slow_leaf(forest, node):
    while (child := forest.active(node)) is not None:
        node = child
    return node


def calls(act):
    """How many Python calls an act makes: its work, whatever the machine is busy with."""
    made = 0

    def count(frame, event, arg):
        nonlocal made
        made += event == "call"

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return made


def test_parents_may_stand_after_their_children():
    forest = Forest([Seed("b", (2.0, 0), "a", None), Seed("a", (1.0, 1), None, None)])
    assert forest.find("b").parent is forest.find("a")
    assert forest.leaf(forest.top).id == "b"


def test_the_top_of_an_empty_forest_is_its_own_leaf():
    forest = Forest()
    assert forest.leaf(forest.top) is forest.top
    assert forest.active(forest.top) is None


def test_an_unknown_id_is_a_key_error():
    with pytest.raises(KeyError):
        Forest().find("nobody")


def test_siblings_stand_by_age_and_ties_by_file_order():
    forest = Forest([Seed("b", (5.0, 0), None, None), Seed("c", (5.0, 1), None, None)])
    forest.insert(Seed("a", (1.0, 2), None, None))
    assert [child.id for child in forest.top.children] == ["a", "b", "c"]
    forest.sort_again("a", (9.0, 2))
    assert [child.id for child in forest.top.children] == ["b", "c", "a"]
    assert forest.leaf(forest.top).id == "a"


def test_a_pointer_to_a_node_that_is_no_child_shows_the_newest():
    forest = Forest([*straight(3), Seed("other", (9.0, 9), "m0", "m0")], "m2")
    assert forest.leaf(forest.top).id == "other"
    forest.point("m0", "m1")
    assert forest.leaf(forest.top).id == "m2"


def test_a_deep_leaf_is_found_again_after_a_switch_at_the_top():
    forest = Forest([*straight(DEEP, "a"), *straight(DEEP, "b")], "a0")
    assert forest.leaf(forest.top).id == f"a{DEEP - 1}"
    forest.point(None, "b0")
    assert forest.leaf(forest.top).id == f"b{DEEP - 1}"
    assert not forest.shows(forest.find("a7"))
    forest.point(None, "a0")
    assert forest.leaf(forest.top).id == f"a{DEEP - 1}"
    assert forest.shows(forest.find("a7"))


def test_a_switch_in_the_middle_is_seen_from_above():
    forest = Forest([*straight(DEEP), *straight(DEEP, "x", start="m1500")])
    forest.point("m1500", "x0")
    assert forest.leaf(forest.top).id == f"x{DEEP - 1}"
    forest.point("m1500", "m1501")
    assert forest.leaf(forest.top).id == f"m{DEEP - 1}"


def test_a_removed_leaf_hands_over_to_its_parent():
    forest = Forest(straight(STRIDE + 1))
    assert forest.leaf(forest.top).id == f"m{STRIDE}"
    forest.remove(f"m{STRIDE}")
    assert forest.leaf(forest.top).id == f"m{STRIDE - 1}"
    forest.remove(f"m{STRIDE - 1}")
    forest.insert(Seed("new", (99.0, 99), f"m{STRIDE - 2}", None))
    assert forest.leaf(forest.top).id == "new"


def test_the_work_of_append_and_switch_does_not_grow_with_the_depth():
    def work(depth):
        forest = Forest([*straight(depth), Seed("other", (9.0, depth), None, None)], "m0")
        forest.leaf(forest.top)

        def switch_and_append():
            forest.point(None, "other")
            forest.leaf(forest.top)
            forest.point(None, "m0")
            end = forest.leaf(forest.top)
            forest.insert(Seed("new", (9.0, depth + 1), end.id, None))
            forest.leaf(forest.top)

        return calls(switch_and_append)

    assert work(40_000) <= 6 * work(100)
    assert work(40_000) < 1_500


@given(st.data())
def test_remembered_steps_never_lie(data):
    """Deep forks with the pointers at the fork turned at random: always the slow walk's answer."""
    forks = data.draw(st.lists(st.integers(0, 120), min_size=1, max_size=3))
    seeds = straight(130)
    for number, at in enumerate(forks):
        seeds += straight(data.draw(st.integers(1, 90)), f"f{number}-", start=f"m{at}")
    forest = Forest(seeds)
    nodes = [None, *forest.nodes]
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.sampled_from(forks))
        children = [child.id for child in forest.find(f"m{at}").children]
        forest.point(f"m{at}", data.draw(st.sampled_from([*children, None, "gone"])))
        asked = forest.find(data.draw(st.sampled_from(nodes)))
        assert forest.leaf(asked) is slow_leaf(forest, asked)
        assert forest.leaf(forest.top) is slow_leaf(forest, forest.top)
