import pytest

from webapp.documents.parsing.limits import USUAL, Limits


def test_limits_are_all_positive_and_cannot_be_changed():
    assert all(value > 0 for value in vars(USUAL).values())
    with pytest.raises(AttributeError):
        USUAL.pages = 1


def test_a_limit_of_size_is_given_in_bytes():
    assert Limits(file_bytes=5).file_bytes == 5 < USUAL.file_bytes == 20_000_000
