"""Files are named after titles, whatever these are."""

import pytest

from webapp.archives.file_names import Taken, named_after


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Tides", "Tides.md"),
        ("", "Untitled.md"),
        (" - ", "Untitled.md"),
        ("a/b: c?", "a-b- c.md"),
        ("..", "...md"),
        ("CON", "_CON.md"),
        ("潮汐", "潮汐.md"),
        ("x" * 400, "x" * 237 + ".md"),
    ],
)
def test_a_title_becomes_a_name_that_every_system_takes(title, name):
    assert named_after(title, ".md") == name


def test_each_name_is_given_once_whatever_its_case():
    taken = Taken()
    assert [taken.own("Tides.md"), taken.own("tides.md"), taken.own("Tides.md")] == [
        "Tides.md",
        "tides (2).md",
        "Tides (3).md",
    ]
