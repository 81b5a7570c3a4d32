"""Calls and their results stay together."""

from hypothesis import given
from hypothesis import strategies as st

from tests.chat.windows import call, message, result
from webapp.chat.facts import KnownFacts
from webapp.chat.groups import backwards, forwards, group_at


def members(path, place):
    facts = KnownFacts().of(path)
    group = group_at(facts, place)
    return (group.start, group.stop), [each.id for each in group.members]


LOOP = [message("q"), call("c", "1", "2"), result("r1", "1"), result("r2", "2"), message("a")]


def test_a_call_and_its_results_are_one_group_from_wherever_one_looks():
    for place in (1, 2, 3):
        assert members(LOOP, place) == ((1, 4), ["c", "r1", "r2"])
    assert members(LOOP, 4) == ((4, 5), ["a"])


def test_a_result_without_its_call_is_not_sent():
    assert members([result("r", "1")], 0) == ((0, 1), [])
    assert members([message("q"), result("r", "1"), result("s", "2")], 2) == ((1, 3), [])
    assert members([call("c", "1"), result("r", "other")], 1) == ((0, 2), [])
    assert members([call("c", "1", muted=True), result("r", "1")], 1)[1] == []


def test_a_call_without_its_result_is_sent_as_its_words():
    said = [call("c", "1", text="Let me see.")]
    group = group_at(KnownFacts().of(said), 0)
    assert group.parts == (("assistant", "Let me see."),)
    assert members([call("c", "1")], 0)[1] == []


def test_of_two_results_for_one_call_the_first_counts():
    assert members([call("c", "1"), result("r", "1"), result("s", "1")], 0)[1] == ["c", "r"]


def test_only_calls_that_were_answered_are_sent():
    group = group_at(KnownFacts().of([call("c", "1", "2"), result("r", "2", "rye")]), 0)
    assert [role for role, _ in group.parts] == ["assistant", "tool"]
    assert group.parts[0][1].count("<tool_call>") == 1


def test_a_pin_on_a_result_pins_the_call():
    path = [call("c", "1"), result("r", "1", pinned=True)]
    assert group_at(KnownFacts().of(path), 0).pinned


ANY = st.lists(
    st.sampled_from(["user", "call", "two", "result", "other", "muted", "empty"]), max_size=25
)


def built(kinds):
    makers = {
        "user": message,
        "call": lambda id: call(id, "1"),
        "two": lambda id: call(id, "1", "2"),
        "result": lambda id: result(id, "1"),
        "other": lambda id: result(id, "2"),
        "muted": lambda id: message(id, muted=True),
        "empty": lambda id: message(id, text=""),
    }
    return [makers[kind](f"m{at}") for at, kind in enumerate(kinds)]


@given(ANY)
def test_both_ways_along_a_path_find_the_same_groups(kinds):
    facts = KnownFacts().of(built(kinds))
    there = list(forwards(facts, 0))
    assert list(backwards(facts, 0)) == there[::-1]
    places = [place for group in there for place in range(group.start, group.stop)]
    assert places == sorted(set(places))


@given(ANY)
def test_no_result_is_sent_without_its_call_right_before(kinds):
    facts = KnownFacts().of(built(kinds))
    for group in forwards(facts, 0):
        calls = group.members[0].calls
        assert all(member.result_of in calls for member in group.members[1:])
