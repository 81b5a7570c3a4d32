"""Who may do what: laws over every member, action and thing, and the cases people ask about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.people.permission import ALL, ALONE, Member, Thing, is_shared, may, owns

ADA, BEN, CY = Member("ada", is_owner=True), Member("ben"), Member("cy")
ACTIONS = ("read", "write", "own")
ids = st.sampled_from(["ada", "ben", "cy", ""])
rights = st.dictionaries(st.sampled_from(["ada", "ben", "cy", ALL]), st.sampled_from(ACTIONS[:2]))
projects = st.builds(Thing, st.just("project"), ids, rights)
threads = st.builds(Thing, st.just("thread"), ids, rights, st.none() | projects)
others = st.builds(Thing, st.sampled_from(["lists", "house", "assistants"]))
things = threads | projects | others
members = st.sampled_from([ADA, BEN, CY])


def rights_of(member, thing):
    return [action for action in ACTIONS if may(member, action, thing)]


@given(things)
def test_nobody_may_do_anything_without_being_signed_in(thing):
    assert rights_of(None, thing) == []


@given(things)
def test_who_is_alone_may_do_everything(thing):
    assert rights_of(ALONE, thing) == list(ACTIONS)


@given(members, things)
def test_who_owns_may_write_and_who_writes_may_read(member, thing):
    held = rights_of(member, thing)
    assert held == list(ACTIONS[: len(held)])


@given(members, threads | projects)
def test_who_owns_a_thing_may_do_everything_with_it_and_nobody_else_may_give_it_away(member, thing):
    assert may(member, "own", thing) is owns(member, thing)


@given(members, threads | projects)
def test_what_is_shared_with_nobody_is_its_owners_alone(member, thing):
    if not is_shared(thing):
        assert rights_of(member, thing) == (list(ACTIONS) if owns(member, thing) else [])


@given(members, ids, rights, rights)
def test_sharing_more_takes_nothing_away(member, owner, some, more):
    few, many = Thing("thread", owner, some), Thing("thread", owner, {**more, **some})
    assert set(rights_of(member, few)) <= set(rights_of(member, many))


def test_a_door_is_open_to_everyone():
    assert rights_of(None, Thing("door")) == list(ACTIONS)


def test_the_owner_of_the_house_does_not_read_what_a_member_keeps_private():
    assert rights_of(ADA, Thing("thread", "ben")) == []
    assert rights_of(ADA, Thing("project", "ben")) == []


def test_what_belongs_to_nobody_is_the_owners_of_the_house():
    assert rights_of(ADA, Thing("thread", "")) == list(ACTIONS)
    assert rights_of(BEN, Thing("thread", "")) == []


@pytest.mark.parametrize(
    ("shares", "ben", "cy"),
    [
        ({ALL: "read"}, ["read"], ["read"]),
        ({ALL: "write"}, ["read", "write"], ["read", "write"]),
        ({"ben": "read"}, ["read"], []),
        ({"ben": "write"}, ["read", "write"], []),
        ({ALL: "read", "ben": "write"}, ["read", "write"], ["read"]),
        ({ALL: "write", "ben": "read"}, ["read", "write"], ["read", "write"]),
    ],
)
def test_shares_give_what_they_say_to_whom_they_name(shares, ben, cy):
    for kind in ("thread", "project"):
        assert rights_of(BEN, Thing(kind, "ada", shares)) == ben
        assert rights_of(CY, Thing(kind, "ada", shares)) == cy


def test_a_thread_in_a_shared_project_is_shared_with_it_and_with_who_owns_the_project():
    shared = Thing("project", "ada", {ALL: "read", "cy": "write"})
    thread = Thing("thread", "ben", {}, shared)
    assert rights_of(CY, thread) == ["read", "write"]
    assert rights_of(Member("dora"), thread) == ["read"]
    assert rights_of(ADA, thread) == ["read", "write"]
    assert is_shared(thread)


def test_a_thread_in_a_private_project_stays_its_own_owners():
    thread = Thing("thread", "ben", {}, Thing("project", "ada"))
    assert rights_of(ADA, thread) == []
    assert rights_of(BEN, thread) == list(ACTIONS)


def test_the_house_is_its_owners_and_assistants_are_read_by_everyone():
    assert rights_of(ADA, Thing("house")) == list(ACTIONS)
    assert rights_of(BEN, Thing("house")) == []
    assert rights_of(ADA, Thing("assistants")) == list(ACTIONS)
    assert rights_of(BEN, Thing("assistants")) == ["read"]
