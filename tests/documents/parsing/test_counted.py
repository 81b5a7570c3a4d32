"""Numbers as lists write them."""

import pytest

from webapp.documents.parsing.counted import spelled


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (3, "decimal", "3"),
        (3, "decimalZero", "03"),
        (28, "lowerLetter", "bb"),
        (2, "upperLetter", "B"),
        (1994, "upperRoman", "MCMXCIV"),
        (4, "lowerRoman", "iv"),
        (21, "chineseCounting", "二十一"),
        (10, "japaneseCounting", "十"),
        (2, "decimalEnclosedCircle", "②"),
        (5, "none", ""),
        (0, "lowerRoman", "0"),
        (10**6, "upperLetter", "1000000"),
        (7, "of a later version", "7"),
    ],
)
def test_a_number_is_written_as_its_list_does(number, kind, text):
    assert spelled(number, kind) == text
