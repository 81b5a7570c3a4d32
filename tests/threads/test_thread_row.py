import pytest

from tests.threads.store_contract import thread
from webapp.errors import BadInput, Damaged, NotFound
from webapp.threads import thread_row
from webapp.threads.database import FILE, Database
from webapp.threads.store import DamagedThread


@pytest.fixture
def db(tmp_path):
    database = Database(tmp_path / FILE)
    with database.writing() as db:
        yield db
    database.close()


def test_inserting_a_known_thread_changes_nothing_and_saving_replaces_it(db):
    assert thread_row.insert(db, thread(title="First"))
    assert not thread_row.insert(db, thread(title="Second"))
    assert thread_row.decoded("t", thread_row.data(db, "t")).title == "First"
    text = thread_row.save(db, thread(title="Third\ud800"))
    assert text == thread_row.data(db, "t")
    assert thread_row.decoded("t", text).title == "Third\ud800"


def test_times_stand_in_columns_for_the_order_of_the_list(db):
    thread_row.insert(db, thread(updated=17.5))
    assert db.execute("SELECT created_at, updated_at FROM threads").fetchone() == (17.5, 17.5)


def test_unknown_ids_and_what_is_no_id_are_not_found(db):
    for id in ("missing", "../x", "", "1.t"):
        with pytest.raises(NotFound):
            thread_row.data(db, id)
        with pytest.raises(NotFound):
            thread_row.numbers(db, id)
    assert not thread_row.exists(db, "missing")


def test_an_entry_that_is_no_thread_is_damage_and_is_listed(db):
    for text in (b"", b"[]", b"\xff", b'{"title":'):
        with pytest.raises(Damaged, match="doctor"):
            thread_row.decoded("t", text)
        listed = thread_row.listed(b"t", text, 7)
        assert (type(listed), listed.id, listed.updated) == (DamagedThread, "t", 7.0)
    assert thread_row.listed(b"t", b'{"id":"other","title":"T"}', 7).id == "t"


def test_fields_nested_without_end_are_refused(db):
    nested = []
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(BadInput):
        thread_row.insert(db, thread().with_fields(extra=nested))


def test_whatever_another_program_put_there_is_bytes():
    assert [thread_row.as_bytes(each) for each in (b"x", None, 5)] == [b"x", b"", b"5"]
