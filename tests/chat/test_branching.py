import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.test_forest import calls
from tests.chat.trees import (
    any_trees,
    chain,
    decide,
    legacy_trees,
    line,
    picture,
    rebuilt,
    said,
    sound_trees,
)
from webapp.chat.branching import (
    Tree,
    backfill,
    delete_subtree,
    edit,
    fork,
    regenerate_parent,
    reply,
    switch,
)
from webapp.chat.messages import ABSENT, Message
from webapp.chat.records import ActiveRoot, Decision, Delete, Patch, Put
from webapp.errors import BadInput, Conflict, NotFound

LATER = 9_000


@pytest.fixture
def forked():
    """u1 → a1 → u2 → a2 and, newer, u1 → b1 → u3."""
    return Tree([*chain("u1", "a1", "u2", "a2"), said("b1", "u1", 2000), said("u3", "b1", 2001)])


def grow(tree, message):
    decide(tree, reply(tree, message))


# --- reply ---


def test_a_conversation_grows_without_a_single_pointer():
    tree = Tree([])
    for message in chain("u1", "a1", "u2"):
        assert reply(tree, message) == Decision((Put(message),))
        grow(tree, message)
    assert tree.active_path() == ["u1", "a1", "u2"]


def test_another_answer_is_a_sibling_and_is_shown(forked):
    grow(forked, said("c1", "u1", LATER))
    assert forked.siblings("a1") == ("a1", "b1", "c1")
    assert forked.active_path() == ["u1", "c1"]


def test_another_answer_is_shown_even_where_a_pointer_or_a_fast_clock_stands_against_it():
    tree = Tree([said("u1", None, activeChildId="a1"), said("a1", "u1", 50), said("a2", "u1", 70)])
    grow(tree, said("a3", "u1", LATER))
    assert tree.active_child("u1") == "a3"
    grow(tree, said("a4", "u1", 60))
    assert tree.active_child("u1") == "a4"
    assert tree.siblings("a4") == ("a1", "a4", "a2", "a3")


def test_a_second_root_is_shown_by_the_thread_itself(forked):
    forked.set_active_root("u1")
    decision = reply(forked, said("u9", None, LATER))
    assert decision.active_root == ActiveRoot("u9")
    decide(forked, decision)
    assert forked.active_path() == ["u9"]


def test_a_known_message_is_not_stored_twice(forked):
    assert reply(forked, said("a1", "u3")) == Decision()


def test_a_message_under_a_parent_that_is_gone_is_refused(forked):
    with pytest.raises(NotFound, match="no longer there"):
        reply(forked, said("u9", "gone"))
    with pytest.raises(NotFound):
        reply(Tree([]), said("u9", "gone"))


def test_a_message_without_a_parent_is_refused_in_a_branched_thread(forked):
    with pytest.raises(BadInput, match="which one it follows"):
        reply(forked, said("u9"))


@pytest.mark.parametrize("parent", ["a1", ABSENT])
def test_a_legacy_thread_that_only_grows_stays_legacy(parent):
    tree = Tree(line("u1", "a1"))
    grow(tree, said("u2", parent))
    assert tree.message("u2").parent_id is ABSENT
    assert tree.active_path() == ["u1", "a1", "u2"]


def test_the_first_fork_of_a_legacy_thread_backfills_it():
    tree = Tree(line("u1", "a1", "u2"))
    grow(tree, said("a9", "u1", LATER))
    assert [tree.message(id).parent_id for id in tree] == [None, "u1", "a1", "u1"]
    assert tree.siblings("a1") == ("a1", "a9")
    assert rebuilt(tree).active_path() == tree.active_path() == ["u1", "a9"]


def test_a_new_root_of_a_legacy_thread_is_a_fork_too():
    tree = Tree(line("u1", "a1"))
    grow(tree, said("u9", None, LATER))
    assert tree.siblings("u1") == ("u1", "u9")
    assert tree.message("a1").parent_id == "u1"


# --- backfill ---


def test_backfill_writes_the_chain_once():
    tree = Tree(line("u1", "a1", "a2"))
    decision = backfill(tree)
    assert {each.message_id: each.metadata["parentId"] for each in decision.records} == {
        "u1": None,
        "a1": "u1",
        "a2": "a1",
    }
    decide(tree, decision)
    assert backfill(tree) == backfill(rebuilt(tree)) == Decision()


def test_a_branched_thread_is_not_backfilled(forked):
    assert backfill(forked) == Decision()


@given(legacy_trees())
def test_backfill_keeps_the_line_even_when_cut_short(tree):
    path = tree.active_path()
    for record in backfill(tree).records:
        tree.apply([record])
        assert tree.active_path() == rebuilt(tree).active_path() == path
    assert tree.unbranched() == ()


# --- regenerate ---


def test_the_question_of_an_answer_is_the_nearest_above_it(forked):
    assert regenerate_parent(forked, "a2") == "u2"
    assert regenerate_parent(forked, "b1") == "u1"
    assert regenerate_parent(forked, "u2") == "u2"


def test_an_answer_to_nothing_cannot_be_made_again():
    with pytest.raises(Conflict, match="no question"):
        regenerate_parent(Tree(chain("a1")), "a1")


# --- switch ---


def test_switching_keeps_the_deeper_pointers():
    old = said("b2", "u2", 500)
    tree = Tree([*chain("u1", "a1", "u2", "a2"), old, said("b1", "u1", LATER)])
    decide(tree, switch(tree, "b2"))
    assert tree.active_path() == ["u1", "a1", "u2", "b2"]
    decide(tree, switch(tree, "b1"))
    assert tree.active_path() == ["u1", "b1"]
    decide(tree, switch(tree, "a1"))
    assert rebuilt(tree).active_path() == tree.active_path() == ["u1", "a1", "u2", "b2"]


def test_switching_to_what_is_shown_writes_nothing(forked):
    assert switch(forked, "b1") == Decision()
    assert switch(Tree(line("u1", "a1")), "u1") == Decision()


def test_a_switch_deep_into_another_branch_turns_every_fork_above():
    tree = Tree([*chain("u1", "a1"), *chain("u2", "a2"), said("b2", "u2", LATER)], "u1")
    decision = switch(tree, "a2")
    assert decision == Decision((Patch("u2", {"activeChildId": "a2"}),), ActiveRoot("u2"))
    decide(tree, decision)
    assert tree.active_path() == ["u2", "a2"]


def test_switching_to_an_unknown_message_is_refused(forked):
    with pytest.raises(NotFound):
        switch(forked, "nobody")


@given(any_trees(), st.data())
def test_switching_away_and_back_shows_the_same_path(tree, data):
    if not len(tree):
        return
    path = tree.active_path()
    away = data.draw(st.sampled_from(list(tree)))
    decide(tree, switch(tree, away))
    assert away in tree.active_path()
    assert (
        tree.active_path() == tree.path_to(tree.leaf_through(away)) == rebuilt(tree).active_path()
    )
    decide(tree, switch(tree, path[-1]))
    assert tree.active_path() == path


# --- edit ---


def test_an_edited_question_is_a_new_version_and_the_old_answer_stays_on_its_branch(forked):
    version, decision = edit(forked, "u2", "u2b", LATER, "better words")
    decide(forked, decision)
    assert version.text == "better words"
    assert (version.created_at, version.data["completed_at"]) == (LATER, LATER)
    assert forked.siblings("u2") == ("u2", "u2b")
    assert forked.path_to(forked.leaf_through("u2")) == ["u1", "a1", "u2", "a2"]
    assert forked.path_to(forked.leaf_through("u2b")) == ["u1", "a1", "u2b"]


def test_an_edit_keeps_images_and_attachments_but_not_pointer_and_error():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    old = said("u1", None, activeChildId="a1", error="It failed.", attachments=[{"id": "f1"}])
    old = Message({**old.data, "content": [*old.data["content"], image], "status": "error"})
    version, _ = edit(Tree([old, said("a1", "u1")]), "u1", "u2", LATER, "new")
    assert image in version.data["content"]
    assert version.metadata == {"attachments": [{"id": "f1"}], "parentId": None}
    assert version.status == "ready"
    assert old.text == "text of u1"


def test_an_edited_first_question_becomes_the_active_root(forked):
    _, decision = edit(forked, "u1", "u9", LATER, "again")
    decide(forked, decision)
    assert forked.active_path() == ["u9"]
    decide(forked, switch(forked, "u1"))
    assert forked.active_path() == ["u1", "b1", "u3"]


@pytest.mark.parametrize("id", ["u1", "a1", "u2"])
def test_an_edit_in_a_legacy_thread_backfills_first(id):
    tree = Tree(line("u1", "a1", "u2"))
    version, decision = edit(tree, id, "x9", LATER, "again")
    decide(tree, decision)
    assert tree.siblings(id) == (id, "x9")
    assert tree.active_path()[-1] == version.id
    assert rebuilt(tree).active_path() == tree.active_path()
    assert backfill(tree) == Decision()


def test_an_edited_answer_without_a_question_above_stays_its_version():
    for first in (said("a1", None), said("a1", "gone")):
        tree = Tree([first, said("u2", "a1", 2000)])
        _, decision = edit(tree, "a1", "a9", LATER, "hello again")
        decide(tree, decision)
        assert tree.siblings("a1") == rebuilt(tree).siblings("a9") == ("a1", "a9")


def test_an_edit_needs_a_known_message_and_a_new_id(forked):
    with pytest.raises(NotFound):
        edit(forked, "nobody", "x9", LATER, "text")
    with pytest.raises(Conflict):
        edit(forked, "u2", "a2", LATER, "text")


@given(any_trees(), st.data())
def test_an_edit_is_shown_beside_the_old_version_and_loses_nothing(tree, data):
    tree.apply(tree.repairs())
    # A root that is an answer below which an earlier line of the file hangs has no sure place.
    fit = [id for id in tree if tree.parent(id) or tree.message(id).role != "assistant"]
    if not fit:
        return
    old = data.draw(st.sampled_from(fit))
    before = {id: tree.path_to(id) for id in tree}
    version, decision = edit(tree, old, "x9", data.draw(st.integers(0, 5)), "again")
    decide(tree, decision)
    assert tree.active_child(tree.parent(old)) == version.id
    assert version.id in tree.siblings(old)
    assert {id: tree.path_to(id) for id in before} == before
    assert picture(tree) == picture(rebuilt(tree))


# --- delete ---


def test_deleting_a_message_takes_all_below_it_and_shows_a_neighbour(forked):
    decide(forked, delete_subtree(forked, "b1"))
    assert list(forked) == ["u1", "a1", "u2", "a2"]
    assert forked.active_path() == ["u1", "a1", "u2", "a2"]


def test_the_neighbour_is_the_next_version_or_the_one_before_the_last():
    tree = Tree([said("u1", None), *(said(f"a{n}", "u1", n) for n in range(4))])
    decide(tree, switch(tree, "a1"))
    decide(tree, delete_subtree(tree, "a1"))
    assert tree.active_child("u1") == "a2"
    decide(tree, switch(tree, "a3"))
    decide(tree, delete_subtree(tree, "a3"))
    assert tree.active_child("u1") == "a2"
    assert tree.siblings("a0") == ("a0", "a2")


def test_deleting_a_version_that_is_not_shown_turns_no_pointer(forked):
    assert delete_subtree(forked, "a1").records == (Delete("a2"), Delete("u2"), Delete("a1"))


def test_deleting_the_shown_root_shows_another(forked):
    grow(forked, said("u9", None, LATER))
    decide(forked, delete_subtree(forked, "u9"))
    assert forked.active_root() == forked.active_root_id == "u1"


def test_what_is_not_there_is_not_deleted(forked):
    with pytest.raises(NotFound):
        delete_subtree(forked, "nobody")


def test_a_legacy_thread_can_lose_its_end():
    tree = Tree(line("u1", "a1", "u2"))
    decide(tree, delete_subtree(tree, "a1"))
    assert tree.active_path() == ["u1"] and tree.is_straight


@given(any_trees(), st.data())
def test_a_delete_takes_exactly_the_subtree(tree, data):
    if not len(tree):
        return
    gone = data.draw(st.sampled_from(list(tree)))
    left = set(tree) - set(tree.subtree(gone))
    decide(tree, delete_subtree(tree, gone))
    assert set(tree) == left
    assert {tree.parent(id) for id in tree} <= {None, *left}


@given(st.one_of(sound_trees(), legacy_trees()), st.data())
def test_a_delete_moves_nothing_and_leaves_no_dangling_parent(tree, data):
    if not len(tree):
        return
    gone = data.draw(st.sampled_from(list(tree)))
    left = {id: tree.parent(id) for id in tree if id not in tree.subtree(gone)}
    decide(tree, delete_subtree(tree, gone))
    assert {id: tree.parent(id) for id in tree} == left
    assert all(tree.message(id).parent_id in (*left, None, ABSENT) for id in tree)


@given(sound_trees(), st.data())
def test_a_delete_that_is_cut_short_leaves_a_whole_tree(tree, data):
    gone = data.draw(st.sampled_from(list(tree)))
    for record in delete_subtree(tree, gone).records:
        tree.apply([record])
        assert rebuilt(tree).repairs() == ()
        assert picture(tree) == picture(rebuilt(tree))


# --- fork ---


def test_a_fork_copies_the_path_into_another_thread(forked):
    ids = {"u1": "n1", "a1": "n2", "u2": "n3"}
    copies = fork(forked, "u2", "other", ids)
    tree = Tree(copies)
    assert tree.active_path() == ["n1", "n2", "n3"]
    assert [each.parent_id for each in copies] == [None, "n1", "n2"]
    assert {each.thread_id for each in copies} == {"other"}
    assert [each.text for each in copies] == ["text of u1", "text of a1", "text of u2"]
    assert all(each.active_child_id is None for each in copies)


def test_a_legacy_thread_forks_into_a_branched_one():
    tree = Tree(line("u1", "a1"))
    copies = fork(tree, "a1", "other", {"u1": "n1", "a1": "n2"})
    assert [each.parent_id for each in copies] == [None, "n1"]
    assert tree.is_straight


# --- speed ---


def test_the_work_of_reply_edit_and_switch_does_not_grow_with_the_thread():
    def work(length):
        tree = Tree([*chain(*(f"{'ua'[n % 2]}{n}" for n in range(length))), said("a1b", "u0", 0)])
        tree.active_leaf()

        def acts():
            grow(tree, said("x1", tree.active_leaf(), LATER))
            decide(tree, edit(tree, "u2", "x2", LATER, "again")[1])
            decide(tree, switch(tree, "a1b"))
            decide(tree, switch(tree, "u2"))
            tree.tail(tree.active_leaf(), 60)

        return calls(acts)

    assert work(30_000) <= 3 * work(200)
