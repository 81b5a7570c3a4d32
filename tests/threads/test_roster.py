import json
import threading

from webapp.threads.roster import Roster


def write(folder, **fields):
    folder.mkdir(exist_ok=True)
    (folder / "thread.json").write_text(json.dumps(fields))


def test_an_unchanged_file_is_not_read_twice(tmp_path):
    write(tmp_path / "a", title="A", updated=1)
    write(tmp_path / "b", title="B", updated=2)
    roster = Roster(tmp_path)
    first = roster.entries()
    write(tmp_path / "b", title="B changed", updated=0)
    second = roster.entries()
    assert second[0] is first[1]
    assert [entry.data["title"] for entry in second] == ["A", "B changed"]
    assert roster.entries() == second


def test_a_list_given_away_is_not_the_rosters_own(tmp_path):
    write(tmp_path / "a", title="A")
    roster = Roster(tmp_path)
    roster.entries().clear()
    assert len(roster.entries()) == 1


def test_threads_that_went_are_gone(tmp_path):
    write(tmp_path / "a", title="A")
    roster = Roster(tmp_path)
    assert len(roster.entries()) == 1
    (tmp_path / "a" / "thread.json").unlink()
    (tmp_path / "a").rmdir()
    assert roster.entries() == []


def test_odd_numbers_do_not_break_the_order(tmp_path):
    for name, updated in (("a", "x"), ("b", None), ("c", True), ("d", 1e300), ("e", -1), ("f", [])):
        write(tmp_path / name, updated=updated)
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "thread.json").write_text('{"updated":NaN,"created":1e999}')
    listed = [entry.id for entry in Roster(tmp_path).entries()]
    assert (listed[0], listed[-1]) == ("d", "e")
    assert len(listed) == 7


def test_lists_may_be_asked_for_at_once(tmp_path):
    for number in range(50):
        write(tmp_path / str(number), updated=number)
    roster = Roster(tmp_path)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(len(roster.entries()))) for _ in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [50] * 8
