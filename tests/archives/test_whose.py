"""What a person has, and what they may write."""

from webapp.archives.whose import Whose

ANN, BOB = (
    Whose("ann", True, frozenset({"ann", "bob"})),
    Whose("bob", False, frozenset({"ann", "bob"})),
)


def test_where_nobody_joined_all_is_theirs_who_asks():
    assert Whose().has({"owner": "anybody"})
    assert Whose().may_write({"owner": "anybody"})


def test_the_owner_also_has_what_nobody_else_has():
    for fields in ({}, {"owner": "gone"}, {"owner": 3}, {"owner": "ann"}):
        assert ANN.has(fields)
        assert not BOB.has(fields)
    assert BOB.has({"owner": "bob"})
    assert not ANN.has({"owner": "bob"})


def test_what_is_shared_to_write_may_be_written():
    assert BOB.may_write({"owner": "ann", "shares": {"bob": "write"}})
    assert BOB.may_write({"owner": "ann", "shares": {"all": "write"}})
    assert not BOB.may_write({"owner": "ann", "shares": {"bob": "read", "ann": "write"}})
