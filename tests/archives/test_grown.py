"""Trees of other programs become trees of this one."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.archives.grown import Node, Said, grown, thought
from webapp.chat.messages import is_id
from webapp.chat.tree import Tree


def said(role="user", text="x", at=0.0):
    return Said(role, text, at)


def parents(found):
    return {each.id: each.metadata["parentId"] for each in found.messages}


def test_what_hangs_on_nothing_said_hangs_on_the_nearest_above():
    nodes = {
        "root": Node(None, ("q",)),
        "q": Node("root", ("empty",), said(at=5)),
        "empty": Node("q", ("b", "a")),
        "a": Node("empty", (), said("assistant", "second")),
        "b": Node("empty", (), said("assistant", "first")),
    }
    found = grown(nodes, "a", "t", 3)
    assert parents(found) == {"q": None, "b": "q", "a": "q"}
    assert [each.created_at for each in found.messages] == [5, 5, 5]
    assert found.active_root == "q"
    tree = Tree(found.messages, found.active_root)
    assert tree.children("q") == ("b", "a")
    assert tree.active_path() == ["q", "a"]


def test_the_current_message_may_say_nothing():
    nodes = {"q": Node(None, ("e",), said()), "e": Node("q", ())}
    assert grown(nodes, "e", "t", 1).active_root == "q"
    assert grown(nodes, "gone", "t", 1).active_root is None
    assert grown(nodes, None, "t", 1).active_root is None


def test_thinking_goes_into_the_answers_that_follow_it():
    nodes = {
        "q": Node(None, ("t1",), said()),
        "t1": Node("q", ("t2",), None, "First."),
        "t2": Node("t1", ("recap",), None, "Second."),
        "recap": Node("t2", ("a1", "a2")),
        "a1": Node("recap", (), said("assistant", "One")),
        "a2": Node("recap", (), said("assistant", "Two")),
    }
    found = grown(nodes, "a1", "t", 1)
    assert parents(found) == {"q": None, "a1": "q", "a2": "q"}
    assert found.messages[1].text == "<think>\nFirst.\n\nSecond.\n</think>\n\nOne"
    assert found.messages[2].text.endswith("Two")


def test_thinking_that_nobody_takes_in_stays_on_its_own():
    for follows in ({}, {"u": Node("t", (), said())}, {"e": Node("t", ())}):
        nodes = {"q": Node(None, ("t",), said()), "t": Node("q", tuple(follows), None, "Hm.")}
        found = grown({**nodes, **follows}, None, "t", 1)
        assert found.messages[1].text == "<think>\nHm.\n</think>"
        assert found.messages[1].role == "assistant"
    assert thought(" ", "text") == "text"


def test_ids_of_any_kind_become_ids_and_stay_the_same():
    nodes = {"../x": Node(None, ("y" * 99,), said()), "y" * 99: Node("../x", (), said("assistant"))}
    first, again = (grown(nodes, "y" * 99, "t", 1) for _ in range(2))
    assert first == again
    assert all(is_id(each.id) for each in first.messages)
    assert parents(first)[first.messages[1].id] == first.messages[0].id


@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"),
        st.tuples(
            st.sampled_from([None, *"abcdefghx"]),
            st.lists(st.sampled_from("abcdefghx"), max_size=4),
            st.sampled_from(["user", "assistant", "thinking", ""]),
        ),
    ),
    st.sampled_from([None, *"abcdefghx"]),
)
def test_of_any_nodes_all_that_is_said_comes_once_and_makes_a_tree(shape, current):
    """Rings, strays and lies about children among them."""
    nodes = {
        id: Node(
            parent,
            tuple(children),
            said(kind, f"words of {id}") if kind in ("user", "assistant") else None,
            f"thought of {id}" if kind == "thinking" else "",
        )
        for id, (parent, children, kind) in shape.items()
    }
    found = grown(nodes, current, "t", 1)
    every = "\n".join(each.text for each in found.messages)
    for id, (_, _, kind) in shape.items():
        if kind in ("user", "assistant"):
            assert every.count(f"words of {id}") == 1
        if kind == "thinking":
            assert f"thought of {id}" in every
    before = set()
    for each in found.messages:
        assert each.metadata["parentId"] in (None, *before)
        before.add(each.id)
    assert len(before) == len(found.messages)
    Tree(found.messages, found.active_root).active_path()
