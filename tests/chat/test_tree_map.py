"""The map of a thread: every message once, nothing on top of anything else, at any size."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.trees import any_trees, chain, line, said
from webapp.chat.tree import Tree
from webapp.chat.tree_map import tree_map

UNFOLDED = st.sampled_from([0, 60])


@given(any_trees(), UNFOLDED)
def test_every_message_is_on_the_map_once(tree, unfolded):
    drawn = tree_map(tree, unfolded=unfolded)
    ids = [id for spot in drawn.spots for id in spot.ids]
    assert sorted(ids) == sorted(tree)
    assert drawn.messages == len(tree)


@given(any_trees(), UNFOLDED)
def test_no_two_spots_share_a_place_and_all_are_within_the_map(tree, unfolded):
    drawn = tree_map(tree, unfolded=unfolded)
    places = [(spot.x, spot.y) for spot in drawn.spots]
    assert len(set(places)) == len(places)
    assert all(0 <= x < drawn.columns and 0 <= y < drawn.rows for x, y in places)


@given(any_trees(), UNFOLDED)
def test_parents_are_above_their_children_and_come_before_them(tree, unfolded):
    spots = tree_map(tree, unfolded=unfolded).spots
    for place, spot in enumerate(spots):
        above = None if spot.parent is None else spots[spot.parent]
        assert spot.parent is None or spot.parent < place
        assert spot.y == (above.y + 1 if above else 0)
        assert tree.parent(spot.ids[0]) == (above.ids[-1] if above else None)


@given(any_trees(), UNFOLDED)
def test_versions_stand_from_left_to_right_with_their_numbers(tree, unfolded):
    spots = tree_map(tree, unfolded=unfolded).spots
    columns = {spot.ids[0]: spot.x for spot in spots}
    for spot in spots:
        versions = tree.siblings(spot.ids[0])
        assert versions[spot.version - 1] == spot.ids[0]
        assert spot.versions == len(versions)
        assert [columns[each] for each in versions] == sorted(columns[each] for each in versions)


@given(any_trees(), UNFOLDED)
def test_the_shown_path_is_marked(tree, unfolded):
    marked = [
        id for spot in tree_map(tree, unfolded=unfolded).spots if spot.on_path for id in spot.ids
    ]
    assert marked == tree.active_path()


@given(any_trees(), st.data())
def test_any_other_path_can_be_the_shown_one(tree, data):
    if not len(tree):
        return
    leaf = tree.leaf_through(data.draw(st.sampled_from(list(tree))))
    marked = [id for spot in tree_map(tree, leaf).spots if spot.on_path for id in spot.ids]
    assert marked == tree.path_to(leaf)


@given(any_trees())
def test_folding_leaves_no_straight_stretch(tree):
    spots = tree_map(tree, unfolded=0).spots
    children = [0] * len(spots)
    for spot in spots:
        if spot.parent is not None:
            children[spot.parent] += 1
    assert 1 not in children


def test_an_empty_thread_has_an_empty_map():
    drawn = tree_map(Tree([]))
    assert (drawn.spots, drawn.columns, drawn.rows) == ((), 0, 0)


def test_a_small_thread_is_not_folded_and_a_larger_one_is():
    assert len(tree_map(Tree(chain(*(f"u{n}" for n in range(60))))).spots) == 60
    assert len(tree_map(Tree(line(*(f"u{n}" for n in range(61))))).spots) == 1


def test_a_long_conversation_stays_in_one_column_beside_its_short_versions():
    messages = [said("u0", None, 0)]
    for number in range(20):
        messages.append(said(f"a{number}", f"u{number}", number * 3 + 1))
        messages.append(said(f"b{number}", f"u{number}", number * 3 + 2))
        messages.append(said(f"u{number + 1}", f"b{number}", number * 3 + 3))
    drawn = tree_map(Tree(messages))
    assert drawn.columns == 2
    assert {spot.x for spot in drawn.spots if spot.ids[0][0] in "ub"} == {1}


@pytest.mark.parametrize("shape", ["deep", "wide", "comb"])
def test_a_map_of_many_thousand_messages_takes_linear_time(shape):
    def messages(count):
        parents = {
            "deep": lambda n: f"u{n - 1}",
            "wide": lambda n: "u0",
            "comb": lambda n: f"u{n - 1 - n % 2}",
        }
        return [said("u0", None, 0)] + [
            said(f"u{n}", parents[shape](n), n) for n in range(1, count)
        ]

    tree = Tree(messages(20_000))
    began = process_time()
    drawn = tree_map(tree, unfolded=0 if shape == "comb" else 30_000)
    assert process_time() - began < 3
    assert sum(len(spot.ids) for spot in drawn.spots) == 20_000
