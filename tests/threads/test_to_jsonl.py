import json

import pytest

from tests.threads.store_contract import said, thread
from webapp.chat.records import Append, Delete, Put
from webapp.threads import history, log, named_acts, thread_row, to_jsonl
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


def texts(replay):
    return [message.text for message in replay.messages()]


def test_rows_become_one_message_a_line_and_their_past_becomes_the_history(db, tmp_path):
    rows = ThreadRows(db, "t")
    rows.apply(Put(said("a", "one")), 5, None)
    rows.apply(Put(said("b", "two")), 6, None)
    rows.apply(Append("a", " more"), 7, "x")
    rows.apply(Delete("b"), 7, "x")
    named_acts.add(db, "t", 7, NamedAct("An act", ["a", "b"], id="x"))
    named_acts.add(db, "t", 8, NamedAct("Renamed", (), b'{"title":"A"}', b'{"title":"B"}'))
    to_jsonl.copy(db, "t", tmp_path / "t", 99)
    (line,) = (tmp_path / "t/messages.jsonl").read_bytes().splitlines()
    assert json.loads(line)["content"][0]["text"]["value"] == "one more"
    assert log.decode(line).at == 7
    known = history.load(tmp_path / "t")
    assert [texts(known.at(moment)[0]) for moment in (4, 5, 6, 7)] == [
        [],
        ["one"],
        ["one", "two"],
        ["one more"],
    ]
    deed = known.deeds()["x"]
    assert (deed.act.what, [type(each) for each in deed.records]) == ("An act", [Put, Delete])
    (change,) = known.thread_changes
    assert (change.at, change.act.what, change.after) == (8, "Renamed", {"title": "B"})


def test_what_was_always_there_was_there_before_all_changes(db, tmp_path):
    db.execute(
        "INSERT INTO messages (id, thread_id, data) VALUES ('j', 't', '{\"role\" : \"user\"}')"
    )
    ThreadRows(db, "t").apply(Put(said("a")), 5, None)
    to_jsonl.copy(db, "t", tmp_path / "t", 99)
    known = history.load(tmp_path / "t")
    assert [each.id for each in known.at(4)[0].messages()] == ["j"]
    assert [each.id for each in known.at(100)[0].messages()] == ["j", "a"]


def test_entries_that_are_no_messages_are_kept_beside(db, tmp_path):
    db.execute("INSERT INTO messages (id, thread_id, data) VALUES ('j', 't', '{broken')")
    db.execute("UPDATE threads SET data = ''")
    to_jsonl.copy(db, "t", tmp_path / "t", 99)
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["messages.damaged"]
    assert (tmp_path / "t/messages.damaged").read_bytes() == b"{broken\n"


def test_a_past_that_another_program_broke_is_left_out(db, tmp_path):
    rows = ThreadRows(db, "t")
    rows.apply(Put(said("a", "one")), 5, None)
    rows.apply(Append("a", " more"), 7, "x")
    db.execute("UPDATE messages SET data = replace(data, 'one', 'uno')")
    to_jsonl.copy(db, "t", tmp_path / "t", 99)
    assert texts(history.load(tmp_path / "t").at(100)[0]) == ["uno more"]
