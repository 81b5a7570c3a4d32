import pytest

from tests.threads.store_contract import said, thread
from webapp.chat.messages import Message
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import BadInput
from webapp.threads import thread_row
from webapp.threads.database import FILE, Database
from webapp.threads.rows import Row, ThreadRows, bound


@pytest.fixture
def db(tmp_path):
    database = Database(tmp_path / FILE)
    with database.writing() as db:
        thread_row.insert(db, thread())
        yield db
    database.close()


@pytest.fixture
def rows(db):
    rows = ThreadRows(db, "t")
    for number, id in enumerate("abc"):
        rows.apply(Put(said(id, f"{id} first")), 10 + number, None)
    return rows


def texts(found):
    return [row.message().text for row in found]


def test_records_become_rows_in_the_order_they_came(rows):
    rows.apply(Append("a", " and more"), 20, None)
    rows.apply(Patch("b", {"pin": 1}), 21, None)
    rows.apply(Put(said("c", "c again")), 22, None)
    assert texts(rows.stored()) == ["a first and more", "b first", "c again"]
    assert rows.find("b").message().metadata["pin"] == 1


def test_a_message_that_comes_back_has_its_place_until_the_thread_is_settled(db, rows):
    (middle,) = [row for row in rows.stored() if row.name == b"b"]
    rows.apply(Delete("b"), 20, None)
    rows.apply(Put(said("b", "back")), 21, None)
    assert rows.find("b").position == middle.position
    rows.apply(Delete("b"), 22, None)
    ThreadRows(db, "t", settled=1000).apply(Put(said("b", "late")), 23, None)
    assert texts(rows.stored()) == ["a first", "c first", "late"]


def test_the_rows_of_any_moment_can_be_had(rows):
    rows.apply(Append("a", "!"), 20, None)
    rows.apply(Delete("b"), 21, None)
    rows.apply(Put(said("b", "new")), 22, None)
    moments = {9: [], 11: ["a first", "b first"], 20: ["a first!", "b first", "c first"]}
    moments |= {21: ["a first!", "c first"], 99: ["a first!", "new", "c first"]}
    for moment, expected in moments.items():
        found, broken = rows.at(moment)
        assert (texts(found), broken) == (expected, 0)


def test_what_an_act_changed_is_known_before_and_after_it(rows):
    rows.apply(Append("a", " one"), 20, "x")
    rows.apply(Append("a", " two"), 20, "x")
    rows.apply(Append("a", " later"), 21, None)
    rows.apply(Delete("b"), 22, "y")
    before, after = rows.around("x", "a")
    assert (before.text, after.text) == ("a first", "a first one two")
    before, after = rows.around("y", "b")
    assert (before.text, after) == ("b first", None)
    assert rows.around("x", "c") is None


def test_what_changes_nothing_leaves_no_step(rows):
    count = len(list(rows.steps()))
    rows.apply(Put(said("a", "a first")), 20, "x")
    rows.apply(Append("missing", "!"), 20, "x")
    rows.apply(Delete("missing"), 20, "x")
    assert len(list(rows.steps())) == count


def test_what_is_no_message_is_refused(rows):
    with pytest.raises(BadInput):
        rows.apply(Put(Message({"id": "m"})), 20, None)


def test_the_id_of_the_row_counts():
    assert Row(b"x", 1, b'{"id":"y","role":"user"}').message().id == "x"
    assert Row(b"x", 1, b'{"role":"user"}').message().id == "x"
    assert Row(b"x", 1, b"[]").message() is None


def test_an_id_that_is_no_text_is_kept_as_bytes():
    assert bound("plain é\0") == "plain é\0"
    assert bound("\ud83d\ude00") == "\U0001f600"
    assert bound("a\ud800") == b"a\xed\xa0\x80"
