"""Whose a thread is, and with whom it is shared, whatever a file says."""

import pytest

from webapp.threads.ownership import owned, owner_in, shares_in


def test_what_is_written_is_read():
    assert owner_in(owned("ada")) == "ada"
    assert owned("") == {}
    assert shares_in({"shares": {"all": "read", "ben": "write"}}) == {"all": "read", "ben": "write"}


@pytest.mark.parametrize("owner", [None, 5, "", "../x", ["ada"], "x" * 65])
def test_anything_else_is_no_owner(owner):
    assert owner_in({"owner": owner}) == ""


@pytest.mark.parametrize(
    "shares",
    [
        None,
        "all",
        ["all"],
        {"all": "own"},
        {"all": True},
        {"all": ["read"]},
        {"../x": "read"},
        {"": "read"},
    ],
)
def test_anything_else_is_shared_with_nobody(shares):
    assert shares_in({"shares": shares}) == {}
