import pytest

from tests.threads.store_contract import said
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import Conflict
from webapp.threads import undo
from webapp.threads.replay import Replay

BEFORE = [Put(said("q").with_metadata({"activeChildId": "a"})), Put(said("a", parent="q"))]


def undone(act, later=()):
    """The messages after an act, something later, and the act taken back."""
    states = Replay(BEFORE), Replay([*BEFORE, *act]), Replay([*BEFORE, *act, *later])
    now = states[2]
    for record in undo.inverse(act, *states):
        now.apply(record)
    return now.messages()


@pytest.mark.parametrize(
    "act",
    [
        [Delete("a")],
        [Put(said("a", "other", parent="q"))],
        [Append("a", "!"), Append("a", "?")],
        [Patch("q", {"activeChildId": "b"})],
        [Patch("q", {"new": 1}), Delete("a"), Put(said("b", parent="q"))],
        [Put(said("b")), Delete("a"), Put(said("a", "again"))],
    ],
)
def test_any_act_is_taken_back_whole(act):
    assert undone(act) == Replay(BEFORE).messages()


def test_what_was_taken_back_is_known():
    now = Replay(BEFORE)
    assert undo.is_back([Delete("a")], Replay(BEFORE), now)
    now.apply(Patch("a", {"pin": 1}))
    assert not undo.is_back([Delete("a")], Replay(BEFORE), now)
    assert undo.is_back([Put(said("q"))], Replay(BEFORE), now)


@pytest.mark.parametrize(
    ("then", "made"),
    [
        ({"title": "New"}, True),
        ({"title": "Old"}, False),
        ({"title": "Newer"}, True),
        ({"title": "Old", "model": "m", "updated": 9}, False),
        ({}, True),
    ],
)
def test_a_change_that_was_made_has_left_a_trace(then, made):
    before, after = {"title": "Old", "updated": 1}, {"title": "New", "updated": 2}
    assert undo.was_made(before, after, then) is made


def test_what_hangs_on_a_created_message_goes_with_it_and_rings_end():
    later = [Put(said("c", parent="b")), Put(said("d", parent="c")), Patch("b", {"parentId": "d"})]
    assert undone([Put(said("b"))], later) == Replay(BEFORE).messages()


def test_other_fields_that_changed_since_are_kept():
    (q, a) = undone([Patch("q", {"pin": 1, "activeChildId": "x"})], [Patch("q", {"star": 1})])
    assert q.metadata == {"parentId": None, "activeChildId": "a", "star": 1}
    assert a.text == "words"


@pytest.mark.parametrize(
    ("act", "later"),
    [
        ([Delete("a")], [Put(said("a"))]),
        ([Put(said("a", "one"))], [Append("a", "!")]),
        ([Put(said("a", "one"))], [Put(said("a", parent="q"))]),
        ([Patch("q", {"activeChildId": "b"})], [Patch("q", {"activeChildId": "c"})]),
        ([Put(said("b"))], [Delete("b")]),
        ([Put(said("b"))], [Append("b", "more")]),
        ([Put(said("b"))], [Put(said("c", parent="b", status="pending"))]),
        ([Patch("a", {"pin": 1})], [Delete("a")]),
        ([Append("unknown", "x")], []),
    ],
)
def test_what_changed_again_is_a_conflict(act, later):
    with pytest.raises(Conflict):
        undone(act, later)


def test_fields_are_merged_one_by_one():
    before, after = {"title": "A", "metadata": {"x": 1}}, {"title": "B", "metadata": {"y": 2}}
    now = {**after, "updated": 5, "metadata": {"y": 2, "z": 3}}
    expected = {"title": "A", "updated": 5, "metadata": {"x": 1, "z": 3}}
    assert undo.merged(before, after, now) == expected
    assert undo.merged({}, {"metadata": {"y": 2}}, {"metadata": {"y": 2}}) == {}
    with pytest.raises(Conflict):
        undo.merged(before, after, {**now, "title": "C"})
    assert undo.merged(before, after, {**now, "title": "C"}, leave={"title"})["title"] == "C"


def test_ids_go_back_behind_the_one_they_followed():
    assert undo.reordered(["b", "e", "new"], ["a", "b", "c", "d", "e"]) == [
        "a",
        "b",
        "c",
        "d",
        "e",
        "new",
    ]


def test_the_undoing_of_an_undoing_has_a_plain_name():
    assert undo.named("Deleted") == "Undid: Deleted"
    assert undo.named("Undid: Deleted") == "Redid: Deleted"
    assert undo.named("Redid: Deleted") == "Undid: Deleted"


def test_fields_are_put_back_whatever_became_of_them_since():
    renamed = ({"title": "One", "metadata": {"a": 1}}, {"title": "Two", "metadata": {"b": 2}})
    again = ({"title": "Two"}, {"title": "Three"})
    now = {"title": "Four", "updated": 9, "metadata": {"b": 2, "c": 3}}
    was = undo.rewound(now, [again, renamed])
    assert was == {"title": "One", "updated": 9, "metadata": {"a": 1, "c": 3}}
    assert undo.rewound(now, []) == now
