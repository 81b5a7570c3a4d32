import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.trees import (
    any_records,
    any_trees,
    chain,
    decide,
    field_thread,
    legacy_trees,
    line,
    picture,
    rebuilt,
    said,
)
from webapp.chat.branching import switch
from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.chat.tree import Tree
from webapp.errors import NotFound


@pytest.fixture
def forked():
    """u1 → a1 → u2 → a2 and, newer, u1 → b1 → u3."""
    return Tree([*chain("u1", "a1", "u2", "a2"), said("b1", "u1", 2000), said("u3", "b1", 2001)])


def test_an_empty_thread_has_no_path():
    tree = Tree([])
    assert tree.active_path() == [] and tree.tail(None, 60) == []
    assert tree.active_leaf() is tree.active_root() is None
    assert tree.is_straight and len(tree) == 0


def test_the_newest_version_is_shown_when_no_pointer_says_otherwise(forked):
    assert forked.active_path() == ["u1", "b1", "u3"]
    assert forked.siblings("a1") == ("a1", "b1")
    assert forked.path_to(forked.leaf_through("a1")) == ["u1", "a1", "u2", "a2"]


@pytest.mark.parametrize("pointer", ["gone", "u1", "u3", 5, None, ["a1"]])
def test_a_pointer_that_names_no_child_is_as_good_as_none(pointer):
    tree = Tree([said("u1", None, activeChildId=pointer), said("a1", "u1"), said("a2", "u1", 2000)])
    assert tree.active_path() == ["u1", "a2"]


def test_a_stale_root_pointer_shows_the_newest_root():
    tree = Tree([*chain("u1", "a1"), said("u2", None, 3000)], active_root_id="a1")
    assert tree.active_root() == "u2"
    assert tree.active_root_id == "a1"
    tree.set_active_root("u1")
    assert tree.active_path() == ["u1", "a1"]


def test_versions_stand_by_time_and_ties_by_file_order():
    tree = Tree([said("u1", None), said("a3", "u1", 9), said("a1", "u1", 5), said("a2", "u1", 5)])
    assert tree.children("u1") == ("a1", "a2", "a3")


def test_messages_of_a_legacy_thread_have_one_version_each():
    tree = Tree(line("u1", "a1", "u2"))
    assert tree.active_path() == ["u1", "a1", "u2"]
    assert [tree.siblings(id) for id in tree] == [("u1",), ("a1",), ("u2",)]


def test_a_legacy_thread_grows_at_its_end():
    tree = Tree(line("u1", "a1"))
    tree.apply([Put(said("u2"))])
    assert tree.active_path() == ["u1", "a1", "u2"]
    assert tree.is_straight


def test_the_tail_is_a_window_that_walks_up(forked):
    assert forked.tail(None, 2) == ["b1", "u3"]
    assert forked.tail("a2", 2) == ["u2", "a2"]
    assert forked.tail("a2", 2, before="u2") == ["u1", "a1"]
    assert forked.tail("a2", 9) == ["u1", "a1", "u2", "a2"]
    assert forked.tail("a2", 9, before="u1") == []
    assert forked.tail(None, 0) == forked.tail(None, -1) == []


def test_depth_counts_the_path(forked):
    assert [forked.depth(id) for id in ("u1", "a1", "u2", "u3")] == [1, 2, 3, 3]


def test_a_subtree_begins_with_its_message(forked):
    assert forked.subtree("u1") == ["u1", "a1", "u2", "a2", "b1", "u3"]
    assert forked.subtree("u3") == ["u3"]


@pytest.mark.parametrize(
    "ask",
    [
        Tree.message,
        Tree.parent,
        Tree.children,
        Tree.siblings,
        Tree.active_child,
        Tree.leaf_through,
        Tree.on_active_path,
        Tree.path_to,
        Tree.depth,
        Tree.subtree,
        lambda tree, id: tree.tail(id, 3),
        lambda tree, id: tree.tail(None, 3, before=id),
    ],
)
def test_an_unknown_id_is_told_in_a_sentence(forked, ask):
    with pytest.raises(NotFound) as told:
        ask(forked, "nobody")
    assert told.value.what and told.value.do


def test_the_later_of_two_messages_with_one_id_counts():
    tree = Tree([*chain("u1", "a1"), said("u1", None, 5000, name="again")])
    assert tree.message("u1").metadata["name"] == "again"
    assert tree.active_path() == ["u1", "a1"]


def test_a_lost_parent_that_comes_back_takes_its_children():
    tree = Tree([*chain("u1", "a1"), said("a2", "u2")])
    assert tree.parent("a2") == "a1"
    tree.apply([Put(said("u2", "a1"))])
    assert tree.parent("a2") == "u2"
    assert tree.active_path() == ["u1", "a1", "u2", "a2"]


def test_patches_and_appends_to_unknown_messages_do_nothing(forked):
    before = picture(forked)
    forked.apply([Patch("nobody", {"parentId": None}), Append("nobody", "x"), Delete("nobody")])
    assert picture(forked) == before


def test_text_that_streams_in_is_seen(forked):
    forked.apply([Append("u3", " and more")])
    assert forked.message("u3").text == "text of u3 and more"


def test_a_message_without_a_usable_time_has_its_place():
    strange = Message({"id": "x", "role": "user", "created_at": 10**400, "metadata": "none"})
    assert Tree([strange]).active_path() == ["x"]


def test_thousands_of_messages_in_a_line_are_walked_without_recursion():
    count = 20_000
    tree = Tree(line(*(f"m{n}" for n in range(count))))
    assert tree.active_leaf() == f"m{count - 1}"
    assert len(tree.active_path()) == len(tree.subtree("m0")) == tree.depth(f"m{count - 1}")


def test_f01_answers_saved_without_a_parent_do_not_vanish():
    tree = field_thread("detached-answers")
    path = ["b-u1", "b-a1b", "b-u2", "b-a2", "b-u3", "b-a3"]
    assert tree.active_path() == path
    assert tree.siblings("b-a1b") == ("b-a1", "b-a1b")
    assert tree.siblings("b-a2") == ("b-a2",)
    tree.apply(tree.repairs())
    assert tree.repairs() == rebuilt(tree).repairs() == ()
    assert rebuilt(tree).active_path() == path


def test_f03_the_newest_branch_survives_a_visit_to_an_old_one():
    tree = field_thread("switch-back")
    newest = ["s-u1", "s-a2", "s-u2", "s-a3", "s-u3", "s-a4"]
    assert tree.active_path() == newest
    decide(tree, switch(tree, "s-a1"))
    assert tree.active_path() == ["s-u1", "s-a1"]
    decide(tree, switch(tree, "s-a2"))
    assert tree.active_path() == rebuilt(tree).active_path() == newest


def test_f07_stale_pointers_fall_back():
    assert field_thread("stale-pointers").active_path() == ["p-u1", "p-a1", "p-u2"]


@given(any_trees())
def test_every_message_is_on_the_path_to_itself(tree):
    for id in tree:
        path = tree.path_to(id)
        assert path[-1] == id and tree.parent(path[0]) is None
        assert len(path) == tree.depth(id) == len(set(path))
        assert id in tree.path_to(tree.leaf_through(id))


@given(any_trees())
def test_the_active_path_ends_at_a_leaf(tree):
    path = tree.active_path()
    assert bool(path) == (len(tree) > 0)
    assert not path or tree.children(path[-1]) == ()
    assert path == [id for id in path if tree.on_active_path(id)]


@given(any_trees())
def test_every_message_is_below_exactly_one_root(tree):
    below = [id for root in tree.children(None) for id in tree.subtree(root)]
    assert sorted(below) == sorted(tree)


@given(any_trees())
def test_siblings_part_the_messages(tree):
    for id in tree:
        versions = tree.siblings(id)
        assert id in versions
        assert all(tree.siblings(each) == versions for each in versions)
        times = [tree.message(each).created_at for each in versions]
        assert times == sorted(times)


@given(legacy_trees())
def test_legacy_threads_stay_straight(tree):
    assert tree.active_path() == list(tree) == list(tree.unbranched())
    assert tree.repairs() == ()


@given(any_trees(), st.lists(st.lists(any_records(), max_size=3), max_size=6))
def test_following_records_equals_building_from_scratch(tree, batches):
    for batch in batches:
        tree.apply(batch)
        assert picture(tree) == picture(rebuilt(tree))


@given(any_trees(), st.lists(any_records(), max_size=4))
def test_records_one_by_one_and_all_at_once_lead_to_the_same_tree(tree, records):
    other = rebuilt(tree)
    tree.apply(records)
    for record in records:
        other.apply([record])
    assert picture(tree) == picture(other)
