import pytest

from tests.threads.store_contract import said
from webapp.threads import log, named_acts, thread_row, to_sqlite
from webapp.threads.database import FILE, Database
from webapp.threads.rows import ThreadRows


@pytest.fixture
def db(tmp_path):
    database = Database(tmp_path / FILE)
    with database.writing() as db:
        yield db
    database.close()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "17.t"
    folder.mkdir()
    (folder / "thread.json").write_bytes(b'\xef\xbb\xbf{ "title": "T", "n": 1.10 }\n')
    return folder


def line(record, at, act=None):
    return b"".join(log.encode([record], at, act))


def put(id, text="words", at=5, act=None):
    return line(log.Put(said(id, text)), at, act)


def texts(rows):
    return [row.message().text for row in rows]


def test_a_folder_becomes_rows_with_its_text_its_times_and_its_past(db, folder):
    act = log.Act("x", "Deleted", ("old", "a"))
    lines = [put("a", "one"), put("b", at=6), put("a", "two", 7), line(log.Delete("b"), 8, act)]
    (folder / "messages.jsonl").write_bytes(b"".join(lines))
    to_sqlite.copy(folder, db, 99)
    assert thread_row.text(db, "17.t") == b'{ "title": "T", "n": 1.10 }'
    assert db.execute("SELECT deleted_at FROM threads").fetchone() == (17,)
    rows = ThreadRows(db, "17.t")
    assert texts(rows.stored()) == ["two"]
    assert texts(rows.at(6)[0]) == ["one", "words"]
    ((at, found),) = named_acts.all_of(db, "17.t")
    assert (at, found.what, found.message_ids) == (8, "Deleted", ["b"])
    assert found.before == b'{"metadata":{"activeRootId":"old"}}'


def test_a_history_that_does_not_lead_to_the_log_does_not_count(db, folder):
    (folder / "history.jsonl").write_bytes(put("b") + put("x") + put("a", "wrong"))
    (folder / "messages.jsonl").write_bytes(put("a", "right") + put("b"))
    to_sqlite.copy(folder, db, 99)
    assert [row.name for row in ThreadRows(db, "17.t").stored()] == [b"a", b"b"]


def test_a_folder_that_lost_its_fields_becomes_a_damaged_thread(db, folder):
    (folder / "thread.json").unlink()
    (folder / "messages.jsonl").write_bytes(put("a") + b"junk\n")
    to_sqlite.copy(folder, db, 99)
    assert thread_row.text(db, "17.t") == b""
    assert texts(ThreadRows(db, "17.t").stored()) == ["words"]
