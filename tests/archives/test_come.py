"""Ids that are the same each time."""

from webapp.archives.come import stable_id
from webapp.chat.messages import is_id


def test_an_id_stays_and_all_else_becomes_one_that_stays():
    assert stable_id("a-1") == "a-1"
    for words in (("../x",), ("a", "b"), ("",), ("\ud800",), ("x" * 70,)):
        assert is_id(stable_id(*words))
        assert stable_id(*words) == stable_id(*words)
    assert stable_id("a", "b") != stable_id("a\0b", "")
