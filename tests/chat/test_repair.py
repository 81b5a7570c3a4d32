from hypothesis import example, given

from tests.chat.trees import (
    chain,
    damaged_trees,
    damaged_trees_in_order,
    line,
    rebuilt,
    said,
)
from webapp.chat.repair import place
from webapp.chat.tree import Tree


def placed(*messages):
    return place(messages).parents


def test_a_legacy_thread_is_a_line_in_file_order_whatever_its_times():
    places = place([said("u1", at=9), said("a1", at=5), said("a2", at=1)])
    assert places.parents == {"u1": None, "a1": "u1", "a2": "a1"}
    assert places.line == ["u1", "a1", "a2"]
    assert places.repairs == {}


def test_a_legacy_head_stays_a_line_under_branched_messages():
    messages = [*line("u1", "a1", "a2"), said("u2", "a2"), said("a3", "u2")]
    places = place(messages)
    assert places.parents["a2"] == "a1"
    assert places.line == ["u1", "a1", "a2"]
    assert places.repairs == {}


def test_a_detached_answer_hangs_on_the_nearest_earlier_question():
    found = placed(*chain("u1", "a1", "u2"), said("a2", None), said("a3"))
    assert found["a2"] == found["a3"] == "u2"


def test_a_parent_that_is_no_text_counts_as_none():
    assert placed(*chain("u1"), said("a1", 17))["a1"] == "u1"


def test_a_question_on_the_turn_of_a_detached_answer_moves_under_it():
    places = place([*chain("u1"), said("a1", None), said("u2", "u1"), said("a2", "u2")])
    assert places.parents == {"u1": None, "a1": "u1", "u2": "a1", "a2": "u2"}
    assert list(places.repairs) == ["u2", "a1"], "the move is written first"


def test_such_a_question_moves_under_the_newest_of_several_answers():
    found = placed(
        *chain("u1"), said("a2", None, 3000), said("a1", None, 2000), said("u2", "u1", 4000)
    )
    assert found["u2"] == "a2"


def test_a_question_stays_where_the_answer_was_never_detached():
    found = placed(*chain("u1", "a1"), said("u2", "u1"))
    assert found["u2"] == "u1"


def test_a_repair_that_was_cut_short_is_finished_by_the_next_reading():
    messages = [*chain("u1"), said("a1", None), said("u2", "u1")]
    whole = place(messages).parents
    first, *_ = place(messages).repairs.items()
    half = [
        each.with_metadata({"parentId": first[1]}) if each.id == first[0] else each
        for each in messages
    ]
    assert place(half).parents == whole


def test_a_question_without_parent_in_a_branched_thread_follows_the_one_before_it():
    found = placed(*chain("u1", "a1"), said("u2"), said("a2"))
    assert (found["u2"], found["a2"]) == ("a1", "u2")


def test_a_question_with_null_is_a_root_of_its_own():
    assert placed(*chain("u1", "a1"), said("u2", None))["u2"] is None


def test_an_orphan_hangs_on_the_message_before_it():
    found = placed(*chain("u1", "a1"), said("a2", "gone"), said("u3", "a2"))
    assert found["a2"] == "a1"


def test_orphans_of_one_lost_parent_stay_versions_of_each_other():
    found = placed(*chain("u1", "a1"), said("a2", "gone"), said("u3", "a2"), said("a3", "gone"))
    assert found["a2"] == found["a3"] == "a1"


def test_an_orphan_at_the_head_of_the_file_is_a_root():
    places = place([said("a1", "gone"), said("u2", "a1")])
    assert places.parents == {"a1": None, "u2": "a1"}
    assert places.repairs == {}
    assert places.awaited == {"gone"}
    assert placed(said("a1", "gone"), said("u2", "a1"), said("a3", "gone"))["a3"] is None


def test_a_ring_is_cut_at_its_earliest_message():
    assert placed(said("u1", "a1"), said("a1", "u1")) == {"u1": None, "a1": "u1"}


def test_a_ring_behind_a_healthy_head_hangs_on_that_head():
    found = placed(*chain("u1", "a1"), said("u2", "a2"), said("a2", "u2"))
    assert found["u2"] == "a1"


def test_a_message_that_is_its_own_parent_follows_the_one_before_it():
    assert placed(*chain("u1", "a1"), said("u2", "u2"))["u2"] == "a1"


def test_a_tail_that_leads_into_a_ring_stays_on_it():
    found = placed(said("u1", "a1"), said("a1", "u1"), said("u2", "a1"), said("a2", "u2"))
    assert found["u2"] == "a1"


def test_an_answer_above_its_only_earlier_question_stays_a_root():
    assert placed(said("u1", "a1"), said("a1", None)) == {"u1": "a1", "a1": None}


def test_versions_of_a_greeting_are_roots_and_not_detached():
    places = place([*chain("a1", "u1"), said("a2", None)])
    assert places.parents["a2"] is None
    assert places.repairs == {}


def test_thousands_of_loose_messages_are_placed_at_once():
    count = 20_000
    ring = [said(f"u{n}", f"u{(n + 1) % count}") for n in range(count)]
    assert list(placed(*ring).values()).count(None) == 1
    turned = [said(f"c{n}", f"x{count - n}") for n in range(0, count, 2)]
    turned += [said(f"x{n}", "gone") for n in range(0, count, 2)]
    assert len(placed(*turned)) == count


@given(damaged_trees())
def test_repair_twice_changes_nothing_more(tree):
    before = {id: tree.parent(id) for id in tree}
    tree.apply(tree.repairs())
    assert tree.repairs() == ()
    assert {id: tree.parent(id) for id in rebuilt(tree)} == before


@given(damaged_trees_in_order())
def test_every_beginning_of_the_repairs_leads_to_the_same_tree(tree):
    before = {id: tree.parent(id) for id in tree}
    for record in tree.repairs():
        tree.apply([record])
        assert {id: tree.parent(id) for id in tree} == before


@given(damaged_trees())
@example(Tree([said("u0", "u2"), said("u1"), said("u2"), said("a0")]))
def test_every_beginning_of_the_repairs_loses_nothing_whatever_the_file(tree):
    before, repairs = {id: tree.parent(id) for id in tree}, tree.repairs()
    for record in repairs:
        tree.apply([record])
        assert list(tree) == list(before)
        assert all(tree.path_to(id)[-1] == id for id in tree)
    tree.apply(repairs)
    assert {id: tree.parent(id) for id in tree} == before
