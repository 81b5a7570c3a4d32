"""Errors a person may read."""

from webapp.errors import NotFound, StrataError


def test_an_error_reads_as_what_happened_and_what_to_do():
    error = NotFound("There is no such thread.", do="Choose one from the list.")
    assert str(error) == "There is no such thread. Choose one from the list."
    assert isinstance(error, StrataError)


def test_an_error_without_advice_has_no_trailing_space():
    assert str(StrataError("It is full.")) == "It is full."
