import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.documents.names import MOST_BYTES, UNNAMED, safe_name, unused


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("../../x.txt", "x.txt"),
        ("/x.txt", "x.txt"),
        ("..\\x.txt", "x.txt"),
        ("a/../../x.txt", "x.txt"),
        ("C:\\Users\\Ada\\x.txt", "x.txt"),
        ("folder/", "folder"),
        ("%2e%2e%2fx.txt", "%2e%2e%2fx.txt"),
        ("U\u0308bung.txt", "Übung.txt"),
        ("a\0b\n\tc\x1b.txt", "ab c.txt"),
        ("evil\u202etxt.exe", "eviltxt.exe"),
        ("\u2066a\u2069\ufeffb\u200b.txt", "ab.txt"),
        ("\ud800a\udfff.txt", "a.txt"),
        ("  spaced \u3000 out .txt  ", "spaced out .txt"),
        ("trailing. . .", "trailing"),
        ("👩\u200d👧.txt", "👩\u200d👧.txt"),
        ("<b>&amp;\"'.txt", "<b>&amp;\"'.txt"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("aux .txt", "_aux .txt"),
        ("com1.tar.gz", "_com1.tar.gz"),
        ("console.txt", "console.txt"),
        (".gitignore", ".gitignore"),
    ],
)
def test_a_name_is_made_safe_to_show(raw, name):
    assert safe_name(raw) == name


@pytest.mark.parametrize(
    "raw", ["", ".", "..", "...", "/", "\\", " ", "\0", "\u202e", "..\\..", "\u0301"]
)
def test_what_leaves_no_name_is_called_a_file(raw):
    assert safe_name(raw) == UNNAMED


def test_a_long_name_keeps_its_ending_and_no_half_letter():
    for letter in ("x", "é", "漢", "👩\u200d👧", "e\u0323\u0301"):
        name = safe_name(letter * 300 + ".pdf")
        assert name.endswith(".pdf")
        assert MOST_BYTES - 30 < len(name.encode()) <= MOST_BYTES
        assert not name.removesuffix(".pdf").endswith("\u200d")
    assert len(safe_name("x" * 300 + "." + "y" * 300).encode()) == MOST_BYTES


def test_an_endless_name_is_looked_at_only_as_far_as_needed():
    assert safe_name("a\u0301\u0323" * 10**6 + ".txt").endswith(".txt")


def test_a_second_file_of_a_name_gets_a_number():
    assert unused("a.txt", []) == "a.txt"
    assert unused("a.txt", ["a.txt"]) == "a (2).txt"
    assert unused("a.txt", ["a.txt", "a (2).txt"]) == "a (3).txt"
    assert unused("a", {"a"}) == "a (2)"
    long = safe_name("漢" * 300 + ".txt")
    second = unused(long, [long])
    assert second.endswith(" (2).txt") and len(second.encode()) <= MOST_BYTES


@settings(deadline=None)
@given(st.text())
def test_a_safe_name_is_safe_and_stays_as_it_is(raw):
    name = safe_name(raw)
    assert safe_name(name) == name
    assert 0 < len(name.encode()) <= MOST_BYTES + 1
    assert name == name.strip() and not name.endswith(".")
    assert not {"/", "\\", "\0", "\n"} & set(name)
    assert unicodedata.is_normalized("NFC", name)
    assert safe_name(unicodedata.normalize("NFD", raw)) == safe_name(
        unicodedata.normalize("NFC", raw)
    )
