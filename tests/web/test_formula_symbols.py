"""The tables of signs."""

import unicodedata

import pytest

from webapp.web import formula_symbols as known


@pytest.mark.parametrize("kind", sorted(known.KINDS))
def test_letters_of_a_kind_are_letters_of_that_kind(kind):
    for letter in "ABCEHILMNPQRZaegoz":
        name = unicodedata.name(known.letter_of(kind, letter))
        assert name.split()[-1] in (letter.upper(), "P", "L"), name
    assert known.letter_of(kind, "+") == "+"


def test_no_name_has_two_meanings():
    tables = [known.LETTERS, known.OPERATORS, known.LARGE, known.INTEGRALS, known.LIMITS]
    names = [name for each in tables for name in each] + list(known.FUNCTIONS)
    assert len(names) == len(set(names))
