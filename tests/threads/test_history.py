from tests.threads.store_contract import said
from webapp.chat.records import Delete, Put
from webapp.threads import history, log

NOW = 40 * 24 * 3600 * 1000


def write_log(folder, *lines):
    (folder / "messages.jsonl").write_bytes(b"".join(lines))


def put(id, text, at, act=None):
    return b"".join(log.encode([Put(said(id, text))], at, act))


def texts(replay):
    return {message.id: message.text for message in replay.messages()}


def test_without_a_history_there_is_today(tmp_path):
    write_log(tmp_path, put("a", "one", 5), put("a", "two", 9))
    known = history.load(tmp_path)
    assert texts(known.at(4)[0]) == {}
    assert texts(known.at(5)[0]) == {"a": "one"}
    assert texts(known.at(99)[0]) == {"a": "two"}


def test_a_kept_log_answers_for_its_time(tmp_path):
    history.keep_log(tmp_path, put("a", "one", 5) + put("a", "two", 9)[:-1], 10)
    history.keep_log(tmp_path, put("a", "three", 11), 12)
    write_log(tmp_path, put("a", "four", 13))
    known = history.load(tmp_path)
    for moment, text in ((5, "one"), (9, "two"), (11, "three"), (13, "four")):
        assert texts(known.at(moment)[0]) == {"a": text}


def test_acts_are_found_with_what_was_before_and_after_them(tmp_path):
    act = log.Act("x", "Edited")
    history.keep_log(tmp_path, put("a", "one", 5) + put("a", "two", 9, act), 10)
    write_log(tmp_path, put("a", "three", 11, log.Act("y", "Again")))
    deeds = history.load(tmp_path).deeds()
    assert list(deeds) == ["x", "y"]
    before, after = history.state_around(deeds["x"])
    assert (texts(before), texts(after)) == ({"a": "one"}, {"a": "two"})


def test_a_log_kept_twice_is_one_history(tmp_path):
    lines = put("a", "one", 5) + b"".join(log.encode([Delete("a")], 6, log.Act("x", "Deleted")))
    (tmp_path / "history.jsonl").write_bytes(lines[: len(lines) - 20])
    history.keep_log(tmp_path, lines, 10)
    deed = history.load(tmp_path).deeds()["x"]
    assert deed.records == [Delete("a")]
    before, after = history.state_around(deed)
    assert (texts(before), texts(after)) == ({"a": "one"}, {})


def test_changes_of_the_thread_lie_between_the_logs(tmp_path):
    history.keep_thread(tmp_path, {"title": "A"}, {"title": "B\ud800"}, 7, log.Act("x", "Renamed"))
    history.keep_log(tmp_path, put("a", "one", 5), 10)
    known = history.load(tmp_path)
    (change,) = known.thread_changes
    assert (change.act.what, change.at) == ("Renamed", 7)
    assert (change.before, change.after) == ({"title": "A"}, {"title": "B\ud800"})
    assert texts(known.at(5)[0]) == {"a": "one"}


def test_a_message_that_looks_like_a_mark_is_a_message(tmp_path):
    fake = b'{"log_until":5,"id":"m","role":"user"}\n{"thread":{"before":{},"after":{}}}\n'
    history.keep_log(tmp_path, fake, 10)
    known = history.load(tmp_path)
    assert len(known.stretches) == 2
    assert known.thread_changes == ()
    assert [message.id for message in known.at(5)[0].messages()] == ["m"]


def test_thirty_days_are_kept(tmp_path):
    history.keep_log(tmp_path, put("a", "old", 1), 2)
    history.keep_thread(tmp_path, {}, {"title": "old"}, 3, log.Act("x", "Renamed"))
    history.keep_log(tmp_path, put("a", "recent", 4), NOW - 5)
    history.keep_thread(tmp_path, {}, {"title": "recent"}, NOW - 4, log.Act("y", "Renamed"))
    history.keep_log(tmp_path, put("a", "today", NOW), NOW)
    raw = (tmp_path / "history.jsonl").read_bytes()
    assert b"old" not in raw
    assert raw.count(b"recent") == 2
    assert texts(history.load(tmp_path).at(NOW - 6)[0]) == {"a": "recent"}
