"""The tables keep themselves in step with what was said: no caller has to think of it."""

import sqlite3

import pytest

from webapp.search.meaning_tables import ANEW, MEANING_TABLES


@pytest.fixture
def base():
    base = sqlite3.connect(":memory:")
    base.executescript(
        f"CREATE TABLE said (place INTEGER PRIMARY KEY, role TEXT); {MEANING_TABLES}"
    )
    roles = ("user", "assistant", "title")
    base.executemany("INSERT INTO said VALUES (?, ?)", enumerate(roles))
    yield base
    base.close()


def column(base, sql):
    return [value for (value,) in base.execute(sql)]


def test_what_comes_is_unread_and_what_goes_leaves_its_slots(base):
    assert column(base, "SELECT place FROM unread") == [0, 1]
    base.execute("INSERT INTO part VALUES (7, 0, 0, 9)")
    base.execute("DELETE FROM unread WHERE place = 0")
    base.execute("DELETE FROM said")
    for table in ("unread", "part"):
        assert column(base, f"SELECT * FROM {table}") == []
    assert column(base, "SELECT slot FROM freed WHERE NOT wiped") == [7]


def test_anew_everything_said_by_somebody_is_unread(base):
    base.execute("DELETE FROM unread")
    base.execute("INSERT INTO made VALUES ('model', 3)")
    for statement in ANEW:
        base.execute(statement)
    assert column(base, "SELECT place FROM unread") == [0, 1]
    assert column(base, "SELECT space FROM made") == []
