"""Boxes of the map: inside the picture, beside each other, and told in words."""

import unicodedata
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.chat.trees import any_trees, said
from webapp.chat.tree import Tree
from webapp.chat.tree_map import tree_map
from webapp.web.map_boxes import ACROSS, DOWN, HEIGHT, WIDTH, cut, drawing


def drawn(tree, **options):
    spots = tree_map(tree, **options)
    return drawing(spots, [tree.message(spot.ids[0]) for spot in spots.spots])


@given(any_trees(), st.sampled_from([0, 60]))
def test_boxes_are_inside_the_picture_and_never_touch(tree, unfolded):
    picture = drawn(tree, unfolded=unfolded)
    places = {(box.x, box.y) for box in picture.boxes}
    assert len(places) == len(picture.boxes)
    assert ACROSS > WIDTH
    assert DOWN > HEIGHT
    for x, y in places:
        assert 0 <= x <= picture.width - WIDTH
        assert 0 <= y <= picture.height - HEIGHT


@given(any_trees())
def test_the_end_of_the_shown_path_is_here_and_only_that(tree):
    here = [box for box in drawn(tree).boxes if box.here]
    assert [box.spot.ids[-1] for box in here] == tree.active_path()[-1:]


def test_a_box_says_who_speaks_which_version_and_where_one_is():
    tree = Tree([said("u1", None, 1), said("a1", "u1", 2), said("a2", "u1", 3)])
    first, old, here = drawn(tree).boxes
    assert first.said == "You: text of u1, on the path shown"
    assert old.said == "Answer: text of a1, version 1 of 2"
    assert here.said == "Answer: text of a2, version 2 of 2, you are here"
    assert (old.badge, here.badge, first.badge) == ("1/2", "2/2", "")
    assert not first.edge
    assert old.edge.startswith("M")


def test_a_named_branch_is_called_by_its_name_and_a_message_without_words_by_none():
    tree = Tree([said("u1", None, 1, branchName="Sea", starred=True), said("a1", "u1", 2)])
    named, other = drawn(tree).boxes
    assert (named.words, named.named, named.starred) == ("Sea", True, True)
    silent = Tree([replace(tree.message("u1")).with_text("").without_metadata("branchName")])
    assert drawn(silent).boxes[0].words == "No words yet"
    assert other.words == "text of a1"


@given(st.text(), st.floats(20, 200))
def test_a_label_is_cut_to_its_box(text, pixels):
    short = cut(text, pixels)
    assert short == text or short.endswith("…")
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in short)
    assert wide * 13.5 <= pixels + 27
