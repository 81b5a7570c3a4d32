import pytest

from tests.threads.store_contract import said, thread
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import Conflict, NotFound
from webapp.threads import named_acts, thread_row
from webapp.threads.database import FILE, Database
from webapp.threads.named_acts import NamedAct
from webapp.threads.rows import ThreadRows


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
    rows.apply(Put(said("a", "words").with_metadata({"activeChildId": "x"})), 1, None)
    return rows


def test_acts_are_found_by_id_and_listed_newest_first(db):
    first, second = NamedAct("First \ud800", ["a"]), NamedAct("Second", [], b"{}", b'{"n":1.10}')
    named_acts.add(db, "t", 10, first)
    named_acts.add(db, "t", 20, second)
    assert named_acts.find(db, "t", first.id) == first
    assert named_acts.find(db, "t", second.id) == second
    found = named_acts.since(db, "t", 5)
    assert [(each.id, each.at, each.what) for each in found] == [
        (second.id, 20, "Second"),
        (first.id, 10, "First \ud800"),
    ]
    assert [each.what for each in named_acts.since(db, "t", 10)] == ["Second"]


def test_unknown_acts_and_those_of_other_threads_are_not_found(db):
    act = NamedAct("Act")
    named_acts.add(db, "t", 10, act)
    for thread_id, act_id in (("t", "nothing"), ("t", "\ud800"), ("u", act.id)):
        with pytest.raises(NotFound):
            named_acts.find(db, thread_id, act_id)


def test_the_inverse_puts_back_what_was(rows):
    rows.apply(Append("a", " more"), 2, "x")
    (record,) = named_acts.inverse(rows, NamedAct("", ["a"], id="x"))
    assert record.message.text == "words"


def test_the_inverse_of_making_is_deleting(rows):
    rows.apply(Put(said("b", parent="a")), 2, "x")
    assert named_acts.inverse(rows, NamedAct("", ["b"], id="x")) == [Delete("b")]


def test_an_act_on_pointers_alone_is_in_conflict_with_a_later_one(rows):
    rows.apply(Patch("a", {"activeChildId": "y"}), 2, "x")
    rows.apply(Patch("a", {"activeChildId": "z"}), 3, None)
    with pytest.raises(Conflict):
        named_acts.inverse(rows, NamedAct("", ["a"], id="x"))


def test_pointers_that_moved_on_stay_when_words_are_put_back(rows):
    rows.apply(Put(said("a", "new").with_metadata({"activeChildId": "y"})), 2, "x")
    rows.apply(Patch("a", {"activeChildId": "z"}), 3, None)
    (record,) = named_acts.inverse(rows, NamedAct("", ["a"], id="x"))
    assert (record.message.text, record.message.active_child_id) == ("words", "z")


def test_an_act_that_changed_nothing_cannot_be_undone(rows):
    with pytest.raises(Conflict):
        named_acts.inverse(rows, NamedAct("", ["missing"], id="x"))


def test_the_threads_own_fields_are_put_back_beside_what_came_later():
    act = NamedAct("Renamed", (), b'{"title":"A","updated":1}', b'{"title":"B","updated":2}')
    now = thread(title="B").with_fields(updated=9, model="m")
    before = named_acts.fields_before(act, now)
    assert (before.title, before.updated, before.data["model"]) == ("A", 9, "m")
    with pytest.raises(Conflict):
        named_acts.fields_before(act, now.with_fields(title="C"))
