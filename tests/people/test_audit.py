"""Who did what, and when."""

from webapp.people import audit
from webapp.people.audit import AuditLog


def test_lines_come_back_newest_first(tmp_path, clock):
    log = AuditLog(tmp_path / "people" / "audit.jsonl", clock)
    log.note("ada", "signed in", "", "192.168.1.20")
    log.note("ben", "threads.delete", "thread-1")
    newest, oldest = log.latest(10)
    assert (newest.who, newest.what, newest.thing) == ("ben", "threads.delete", "thread-1")
    assert oldest.address == "192.168.1.20"
    assert newest.at > oldest.at
    assert log.latest(1) == [newest]


def test_a_line_is_one_line_whatever_stands_in_it(tmp_path, clock):
    log = AuditLog(tmp_path / "audit.jsonl", clock)
    log.note("ada\n{}", "x" * 5000, "\ud800\0", "\r\nSet-Cookie: a=b")
    (line,) = log.latest(10)
    assert line.who == "ada\n{}"
    assert len(line.what) == audit.LONGEST
    assert len((tmp_path / "audit.jsonl").read_text().splitlines()) == 1


def test_it_stays_in_bounds_and_keeps_the_newest(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(audit, "LARGEST_BYTES", 2000)
    log = AuditLog(tmp_path / "audit.jsonl", clock)
    for number in range(200):
        log.note("ada", f"act {number}")
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 4000
    found = [line.what for line in log.latest(1000)]
    assert found == [f"act {number}" for number in range(199, 199 - len(found), -1)]
    assert len(found) > 15


def test_torn_and_strange_lines_hide_no_other(tmp_path, clock):
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path, clock)
    log.note("ada", "one")
    with path.open("ab") as file:
        file.write(b'\xff\n[]\n{"at": "x"}\n{"at": 5, "who": 7}\n{"at": 1, "wh')
    log.note("ada", "two")
    assert [line.what for line in log.latest(10)] == ["two", "", "one"]


def test_a_disk_that_refuses_does_not_undo_the_act(tmp_path, clock, caplog):
    (tmp_path / "a file").write_text("")
    AuditLog(tmp_path / "a file" / "audit.jsonl", clock).note("ada", "signed in")
    assert "Nothing was saved" in caplog.text
    assert AuditLog(tmp_path / "nothing.jsonl", clock).latest(5) == []
