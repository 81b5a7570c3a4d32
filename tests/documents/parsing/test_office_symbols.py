"""Signs of fonts of pictures."""

import pytest

from webapp.documents.parsing.office_symbols import symbol


@pytest.mark.parametrize(
    ("font", "code", "sign"),
    [
        ("Symbol", "F061", "α"),
        ("symbol", "B0", "°"),
        ("Symbol", "F0B3", "≥"),
        ("Symbol", "F0DE", "⇒"),
        ("Wingdings", "F0FE", "☑"),
        ("Wingdings", "F0A8", "☐"),
        ("Wingdings 2", "F052", "☑"),
        ("Arial", "20AC", "€"),
        ("Unknown", "F042", ""),
        ("Arial", "D800", ""),
        ("Arial", "no number", ""),
    ],
)
def test_a_sign_is_the_letter_a_reader_sees(font, code, sign):
    assert symbol(font, code) == sign
