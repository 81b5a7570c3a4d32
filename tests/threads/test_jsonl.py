"""The store of directories: its contract, and what only files can suffer."""

import json
import shutil
import time
import zlib
from pathlib import Path

import pytest

from tests.threads.disk_faults import folder_for_anyone, no_file_grows_beyond, read_only
from tests.threads.store_contract import ThreadStoreContract, ids, said, texts, thread
from webapp.chat.records import ActiveRoot, Append, Delete, Patch, Put
from webapp.errors import Damaged, StorageFailed
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.store import DamagedThread

FIELD_CASES = Path(__file__).parent.parent / "data" / "threads"


class Behind:
    """The files of a store, without the store."""

    def __init__(self, root, clock):
        self.root = root
        self._clock = clock

    def reopened(self):
        return JsonlThreadStore(self.root, self._clock)

    def path(self, thread_id="t", name="messages.jsonl"):
        return self.root / "threads" / thread_id / name

    def put_line(self, thread_id, text):
        with self.path(thread_id).open("ab") as file:
            file.write(text.encode() + b"\n")

    def break_thread(self, thread_id):
        path = self.path(thread_id, "thread.json")
        path.write_bytes(path.read_bytes()[:-9])

    def stored_text(self, thread_id):
        return self.path(thread_id).read_text("utf-8")

    def lines(self, name="messages.jsonl"):
        return self.path(name=name).read_bytes().split(b"\n")[:-1]

    def everything(self):
        return {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}


@pytest.fixture
def behind(tmp_path, clock):
    return Behind(tmp_path / "data", clock)


@pytest.fixture
def walk(store):
    store.create_thread(thread())
    store.write("t", [Put(said("m1", "one")), Put(said("m2", "two")), Put(said("m3", "three"))])
    return store


class TestJsonl(ThreadStoreContract):
    pass


# --- the format ---


def test_lines_end_with_their_time_and_a_checksum_of_the_line_without_it(walk, behind, clock):
    walk.write("t", [Patch("m1", {"pin": "é"}), Append("m2", "\ud800"), Delete("m3")])
    for line in behind.lines():
        value = json.loads(line)
        assert list(value)[-2:] == ["at", "crc"]
        without = line[: line.rindex(b',"crc":')] + b"}"
        assert value["crc"] == zlib.crc32(without)
        assert value["at"] <= clock.now
    assert b'"append":"\\ud800"' in behind.lines()[4]


def test_threads_of_jan_are_read_as_they_are(tmp_path, clock):
    shutil.copytree(FIELD_CASES, tmp_path / "data" / "threads")
    store = JsonlThreadStore(tmp_path / "data", clock)
    assert store.get_thread("switch-back").title == "Harbour walk"
    assert ids(store.read("switch-back")) == [
        "s-u1",
        "s-a1",
        "s-a2",
        "s-u2",
        "s-a3",
        "s-u3",
        "s-a4",
    ]
    assert store.read("switch-back").notices == ()


def test_field_case_12_a_broken_thread_is_listed_as_damaged_and_readable(tmp_path, clock):
    for name in ("half-list-good", "half-list-broken"):
        shutil.copytree(FIELD_CASES / name, tmp_path / "data" / "threads" / name)
    behind = Behind(tmp_path / "data", clock)
    before = behind.everything()
    store = behind.reopened()
    listed = {entry.id: entry for entry in store.list_threads()}
    assert listed["half-list-good"].title == "The good one"
    assert isinstance(listed["half-list-broken"], DamagedThread)
    assert "half-list-broken" in listed["half-list-broken"].problem
    assert texts(store.read("half-list-broken")) == {"w0": "My text must not be lost."}
    with pytest.raises(Damaged):
        store.modify_thread(thread("half-list-broken"))
    assert behind.everything() == before
    store.delete_thread("half-list-broken")
    assert store.trash()[0].title == "The broken one"


def test_field_case_7_a_half_written_node_is_told_and_the_rest_opens(tmp_path, clock):
    shutil.copytree(FIELD_CASES / "stale-pointers", tmp_path / "data/threads/stale-pointers")
    contents = JsonlThreadStore(tmp_path / "data", clock).read("stale-pointers")
    assert ids(contents) == ["p-u1", "p-a1", "p-u2"]
    assert len(contents.notices) == 1
    assert contents.notices[0].startswith("1 line ")


# --- damage ---

DAMAGES = {
    "half a line": b'{"id":"x","object":"thread.message","role":"us',
    "no object": b'["id","role"]',
    "a number": b"17",
    "no role": b'{"id":"x","metadata":{}}',
    "no id": b'{"role":"user"}',
    "an id that is no text": b'{"id":5,"role":"user"}',
    "a patch that is none": b'{"id":"m1","patch":{"metadata":[]}}',
    "bytes of no text": b'{"id":"x","role":"user","text":"\xff\xfe"}',
    "a surrogate as bytes": b'{"id":"x","role":"user","text":"\xed\xa0\x80"}',
    "a wrong checksum": b'{"id":"x","role":"user","at":5,"crc":1}',
    "NULs": b"\0" * 4096,
    "a bottomless list": b'{"id":"x","role":"user","a":' + b"[" * 100_000,
    "a colossal number": b'{"id":"x","role":' + b"9" * 9000 + b"}",
    "random bytes": bytes(range(11, 256)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("place", ["first", "middle", "last", "torn"])
def test_damage_is_told_and_kept_and_hides_no_healthy_line(walk, behind, damage, place):
    lines = behind.lines()
    where = {"first": 0, "middle": 2}.get(place, 3)
    raw = b"".join(line + b"\n" for line in (*lines[:where], damage, *lines[where:]))
    behind.path().write_bytes(raw[:-1] if place == "torn" else raw)
    before = behind.everything()
    contents = walk.read("t")
    assert texts(contents) == {"m1": "one", "m2": "two", "m3": "three"}
    assert len(contents.notices) == 1
    assert contents.notices[0].startswith("1 line ")
    assert behind.everything() == before

    walk.create_message("t", said("m4", "four"))
    walk.create_message("t", said("m5", "five"))
    again = behind.reopened()
    assert ids(again.read("t")) == ["m1", "m2", "m3", "m4", "m5"]
    again.rewrite("t")
    assert behind.path(name="messages.damaged").read_bytes() == damage + b"\n"
    assert ids(behind.reopened().read("t")) == ["m1", "m2", "m3", "m4", "m5"]
    assert behind.reopened().read("t").notices == ()


def test_a_torn_tail_at_every_byte_loses_no_earlier_line(walk, behind):
    raw = behind.path().read_bytes()
    start = raw.index(b'{"id":"m3"')
    for cut in range(start, len(raw), 7):
        behind.path().write_bytes(raw[:cut])
        contents = behind.reopened().read("t")
        assert ids(contents)[:2] == ["m1", "m2"]
        store = behind.reopened()
        store.create_message("t", said("m9", "after"))
        assert set(ids(behind.reopened().read("t"))) >= {"m1", "m2", "m9"}


def test_one_flipped_bit_costs_at_most_its_own_line(walk, behind):
    raw = behind.path().read_bytes()
    for place in range(0, len(raw), 5):
        behind.path().write_bytes(raw[:place] + bytes([raw[place] ^ 4]) + raw[place + 1 :])
        contents = behind.reopened().read("t")
        assert len(contents.messages) >= 1
        assert {"m1": "one", "m2": "two", "m3": "three"}.items() >= texts(contents).items()
        assert contents.notices


def test_a_record_glued_to_a_torn_one_is_found(walk, behind):
    raw = behind.path().read_bytes()
    with behind.path().open("wb") as file:
        file.write(raw[:-40] + json.dumps(dict(said("m4", "four").data)).encode() + b"\n")
    contents = walk.read("t")
    assert ids(contents) == ["m1", "m2", "m4"]
    assert contents.notices[0].startswith("1 line ")


def test_two_whole_records_on_one_line_are_both_read(walk, behind):
    raw = behind.path().read_bytes()
    behind.path().write_bytes(raw.replace(b"\n", b"", 2))
    assert walk.read("t") == behind.reopened().read("t")
    assert ids(walk.read("t")) == ["m1", "m2", "m3"]
    assert walk.read("t").notices == ()


def test_many_damaged_lines_are_counted_and_each_is_kept_once(walk, behind):
    with behind.path().open("ab") as file:
        file.write(b"junk\njunk\nother\n")
    assert walk.read("t").notices[0].startswith("3 lines ")
    walk.create_message("t", said("m4"))
    behind.reopened().create_message("t", said("m5"))
    assert behind.path(name="messages.damaged").read_bytes() == b"junk\nother\n"


def test_an_id_used_twice_by_another_program_is_told(walk, behind):
    behind.put_line("t", json.dumps(dict(said("m1", "again").data)))
    contents = walk.read("t")
    assert texts(contents) == {"m1": "again", "m2": "two", "m3": "three"}
    assert contents.notices[0].startswith("1 line ")


def test_line_ends_marks_and_blank_lines_of_other_editors_do_no_harm(walk, behind):
    lines = behind.lines()
    behind.path().write_bytes(b"\xef\xbb\xbf" + b"\r\n\r\n \n".join(lines) + b"\r\n")
    assert texts(walk.read("t")) == {"m1": "one", "m2": "two", "m3": "three"}
    assert walk.read("t").notices == ()
    walk.write("t", [Patch("m1", {"pin": 1})])
    walk.rewrite("t")
    assert ids(behind.reopened().read("t")) == ["m1", "m2", "m3"]


def test_a_ring_of_parents_and_an_orphan_are_kept_as_they_are(walk, behind):
    walk.write(
        "t", [Put(said("a", parent="b")), Put(said("b", parent="a")), Put(said("c", parent="?"))]
    )
    assert ids(behind.reopened().read("t")) == ["m1", "m2", "m3", "a", "b", "c"]


def test_ten_thousand_checkpoints_of_one_answer_open_quickly(walk, behind):
    line = b'{"id":"m1","append":"' + b"word " * 200 + b'"}\n'
    with behind.path().open("ab") as file:
        file.write(line * 10_000)
    start = time.process_time()
    contents = behind.reopened().read("t")
    assert time.process_time() - start < 2
    assert len(texts(contents)["m1"]) == 3 + 1000 * 10_000


# --- thread.json ---


@pytest.mark.parametrize("content", [b"", b"null", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000])
def test_a_thread_file_that_holds_no_thread_is_damage(walk, behind, content):
    behind.path(name="thread.json").write_bytes(content)
    (listed,) = walk.list_threads()
    assert isinstance(listed, DamagedThread)
    assert listed.id == "t"
    with pytest.raises(Damaged):
        walk.get_thread("t")


def test_the_folder_names_the_thread_whatever_its_file_says(walk, behind):
    path = behind.path(name="thread.json")
    path.write_text('{"id":"other","title":"T"}')
    assert walk.get_thread("t").id == "t"
    assert [each.id for each in walk.list_threads()] == ["t"]
    path.write_text('{"title":"T"}')
    assert walk.get_thread("t").id == "t"


def test_a_folder_that_lost_its_thread_file_is_listed_and_can_be_mended(walk, behind):
    behind.path(name="thread.json").unlink()
    (listed,) = walk.list_threads()
    assert isinstance(listed, DamagedThread)
    assert ids(walk.read("t")) == ["m1", "m2", "m3"]
    with pytest.raises(Damaged):
        walk.get_thread("t")
    walk.modify_thread(thread(title="Mended"))
    assert walk.get_thread("t").title == "Mended"


def test_a_folder_whose_name_is_no_id_is_listed_and_others_are_passed_over(walk, behind):
    shutil.copytree(behind.path().parent, behind.root / "threads" / "copy of t")
    (behind.root / "threads" / ".hidden").mkdir()
    (behind.root / "threads" / "empty").mkdir()
    (behind.root / "threads" / "file").write_text("x")
    listed = {each.id: each for each in walk.list_threads()}
    assert set(listed) == {"t", "copy of t"}
    assert isinstance(listed["copy of t"], DamagedThread)


def test_changes_made_by_hand_are_noticed_at_the_next_look(walk, behind):
    assert walk.list_threads()[0].title == "Harbour walk"
    walk.read("t")
    behind.path(name="thread.json").write_text('{"title":"By hand, and longer than before"}')
    behind.put_line("t", json.dumps(dict(said("h", "by hand").data)))
    assert walk.list_threads()[0].title.startswith("By hand")
    assert texts(walk.read("t"))["h"] == "by hand"
    walk.create_message("t", said("h", "late"))
    assert texts(walk.read("t"))["h"] == "by hand"


# --- rewriting ---


def test_a_log_more_dead_than_alive_is_rewritten_to_one_line_a_message(walk, behind):
    walk.write("t", [Delete("m3")])
    big = "x" * 700_000
    walk.write("t", [Put(said("m1", big))])
    walk.write("t", [Put(said("m1", big + "!"))])
    assert len(behind.lines()) == 6
    walk.write("t", [Patch("m2", {"pin": 1}), Put(said("m1", "short"))])
    assert [json.loads(line)["id"] for line in behind.lines()] == ["m1", "m2"]
    assert all("role" in json.loads(line) for line in behind.lines())
    assert behind.path().stat().st_size < 2000
    assert big.encode() in behind.path(name="history.jsonl").read_bytes()
    assert all(json.loads(line) for line in behind.lines("history.jsonl"))
    assert texts(walk.read("t")) == {"m1": "short", "m2": "two"}
    assert texts(behind.reopened().read("t")) == {"m1": "short", "m2": "two"}


def test_a_log_is_left_alone_while_an_answer_streams_into_it(walk, behind):
    walk.write("t", [Put(said("a", "", status="pending"))])
    for _ in range(3):
        walk.write("t", [Put(said("m1", "x" * 700_000))])
    assert not behind.path(name="history.jsonl").exists()
    walk.write("t", [Put(said("a", "done"))])
    assert behind.path(name="history.jsonl").exists()
    assert texts(behind.reopened().read("t"))["a"] == "done"


def test_untouched_lines_of_other_programs_keep_their_bytes(walk, behind):
    theirs = '{"role" : "user",  "id":"j", "n":[1.10,1E5,-0], "id":"j", "\\u00e9":"\\/" }'
    behind.put_line("t", theirs)
    walk.write("t", [Patch("m1", {"pin": 1})])
    walk.rewrite("t")
    assert theirs[:-1].rstrip().encode() in behind.path().read_bytes()


def test_history_older_than_thirty_days_goes_with_the_next_rewrite(walk, behind, clock):
    walk.write("t", [Put(said("m1", "the first secret"))], what="Edited")
    walk.rewrite("t")
    walk.modify_thread(thread(title="An old name"), what="Renamed")
    assert b"the first secret" in behind.path(name="history.jsonl").read_bytes()
    walk.write("t", [Put(said("m1", "clean"))])
    clock.now += 31 * 24 * 3600 * 1000
    moment = clock()
    walk.write("t", [Put(said("m2", "new"))], what="Edited")
    walk.rewrite("t")
    walk.write("t", [Patch("m2", {"pin": 1})])
    walk.rewrite("t")
    old = behind.path(name="history.jsonl").read_bytes()
    assert b"An old name" not in old
    assert [change.what for change in walk.changes("t")] == ["Edited"]
    assert texts(walk.as_of("t", moment))["m2"] == "two"


def test_a_crash_between_history_and_log_does_no_harm(walk, behind, clock):
    walk.write("t", [Delete("m1")], what="Deleted")
    log = behind.path().read_bytes()
    walk.rewrite("t")
    behind.path().write_bytes(log)  # the rename never came
    with behind.path(name="history.jsonl").open("ab") as file:
        file.write(log[: len(log) // 2])  # nor did the whole of the next try
    again = behind.reopened()
    assert [change.what for change in again.changes("t")] == ["Deleted"]
    again.rewrite("t")
    again = behind.reopened()
    again.undo("t", again.changes("t")[0].id)
    assert ids(again.read("t")) == ["m1", "m2", "m3"]


# --- failures of the disk ---


def test_a_log_that_cannot_be_read_is_no_empty_thread_and_is_not_written_to(walk, behind):
    log = behind.path()
    aside = log.rename(log.with_name("aside"))
    log.mkdir()  # reading it fails, for root too
    for store in (walk, behind.reopened()):
        with pytest.raises(StorageFailed):
            store.read("t")
        with pytest.raises(StorageFailed):
            store.write("t", [Put(said("m4"))])
    log.rmdir()
    aside.rename(log)
    walk.write("t", [Put(said("m4"))])
    assert ids(walk.read("t")) == ["m1", "m2", "m3", "m4"]


def test_a_log_that_vanished_is_said_and_not_begun_afresh(walk, behind):
    walk.read("t")
    aside = behind.path().rename(behind.path(name="aside"))
    with pytest.raises(StorageFailed):
        walk.read("t")
    with pytest.raises(StorageFailed):
        walk.create_message("t", said("m4"))
    aside.rename(behind.path())
    walk.create_message("t", said("m4"))
    assert ids(walk.read("t")) == ["m1", "m2", "m3", "m4"]


def test_a_data_directory_that_vanished_is_said_and_works_again(walk, behind):
    aside = behind.root.rename(behind.root.with_name("aside"))
    for act in (
        walk.list_threads,
        walk.trash,
        lambda: walk.read("t"),
        lambda: walk.create_thread(thread("n")),
        lambda: walk.create_message("t", said("m4")),
    ):
        with pytest.raises(StorageFailed):
            act()
    aside.rename(behind.root)
    walk.create_message("t", said("m4"))
    assert ids(walk.read("t")) == ["m1", "m2", "m3", "m4"]


def test_a_data_directory_that_is_a_file_is_said(tmp_path, clock):
    (tmp_path / "data").write_text("")
    with pytest.raises(StorageFailed):
        JsonlThreadStore(tmp_path / "data", clock)


def test_reading_writes_nothing(walk, behind):
    walk.write("t", [Delete("m1")], what="Deleted")
    walk.rewrite("t")
    before = behind.everything()
    for store in (walk, behind.reopened()):
        store.list_threads()
        store.get_thread("t")
        store.read("t")
        store.changes("t")
        store.as_of("t", 5)
        store.trash()
    assert behind.everything() == before


def test_reading_again_is_the_same_value_while_nothing_changed(walk):
    first = walk.read("t")
    assert walk.read("t") is first
    walk.write("t", [Patch("m1", {"pin": 1})])
    assert walk.read("t") is not first


@pytest.mark.parametrize("room", [0, 1, 20, 150, 290])
def test_a_full_disk_is_said_nothing_is_acknowledged_and_it_works_again(walk, behind, room):
    before, size = behind.everything(), behind.path().stat().st_size
    records = [Put(said("m4", "four")), Put(said("m5", "five"))]
    with no_file_grows_beyond(size + room):
        with pytest.raises(StorageFailed, match="full"):
            walk.write("t", records)
        assert behind.everything() == before
        assert ids(walk.read("t")) == ["m1", "m2", "m3"]
        with pytest.raises(StorageFailed):
            walk.create_message("t", said("m6", "x" * 500))
    walk.write("t", records)
    assert ids(walk.read("t")) == ids(behind.reopened().read("t")) == ["m1", "m2", "m3", "m4", "m5"]
    assert behind.reopened().read("t").notices == ()


def test_a_full_disk_leaves_the_threads_own_fields_as_they_were(walk, behind):
    before = behind.everything()
    with no_file_grows_beyond(10):
        with pytest.raises(StorageFailed, match="full"):
            walk.modify_thread(thread(title="New"))
        with pytest.raises(StorageFailed, match="full"):
            walk.modify_thread(thread(title="New"), what="Renamed")
        with pytest.raises(StorageFailed, match="full"):
            walk.create_thread(thread("another"))
    assert behind.everything() == before
    assert [each.id for each in walk.list_threads()] == ["t"]
    walk.create_thread(thread("another"))
    assert walk.get_thread("another").title == "Harbour walk"


def test_what_was_taken_back_from_a_log_is_noticed_by_the_store_that_wrote_it(walk, behind):
    walk.read("t")
    before = behind.path().read_bytes()
    (behind.path(name="thread.json.new")).mkdir()
    with pytest.raises(StorageFailed):
        walk.write("t", [Put(said("m4", "four"))], what="Edited", active_root=ActiveRoot("m4"))
    assert behind.path().read_bytes() == before
    assert ids(walk.read("t")) == ["m1", "m2", "m3"]
    assert walk.changes("t") == []
    walk.write("t", [Patch("m4", {"pin": 1}), Put(said("m5", "five"))])
    assert walk.read("t") == behind.reopened().read("t")
    assert ids(walk.read("t")) == ["m1", "m2", "m3", "m5"]


def test_a_rename_that_was_noted_and_never_made_is_not_listed(walk, behind):
    whole = behind.path(name="thread.json").read_bytes()
    for title in ("New", "Newer", "New"):
        walk.modify_thread(thread(title=title), what=f"Renamed to {title}")
        behind.path(name="thread.json").write_bytes(whole)  # as if the process had died before
        assert behind.reopened().changes("t") == []
    walk.modify_thread(thread(title="New"), what="Renamed to New")
    [change] = walk.changes("t")
    walk.undo("t", change.id)
    assert walk.get_thread("t").title == "Harbour walk"


def test_a_disk_too_full_to_tidy_up_denies_no_saved_message(walk, behind):
    for text in ("y" * 1_100_000, "y" * 1_100_000, "short"):
        walk.write("t", [Put(said("a", text, status="pending"))])
    for_the_record_only = behind.path().stat().st_size + len(behind.lines()[-1]) + 20
    with no_file_grows_beyond(for_the_record_only):
        walk.write("t", [Put(said("a", "done"))])
    assert texts(behind.reopened().read("t"))["a"] == "done"
    assert behind.path().stat().st_size > 2_000_000
    behind.reopened().write("t", [Patch("a", {"pin": 1})])
    assert behind.path().stat().st_size < 5000


def test_a_full_disk_leaves_a_rewrite_undone(walk, behind):
    walk.write("t", [Put(said("m1", "x" * 5000))])
    walk.write("t", [Put(said("m1", "y" * 5000))])
    log = behind.path().read_bytes()
    with no_file_grows_beyond(6000), pytest.raises(StorageFailed, match="full"):
        walk.rewrite("t")
    assert behind.path().read_bytes() == log
    assert texts(walk.read("t"))["m1"] == "y" * 5000


def test_a_read_only_directory_is_said_can_be_read_and_works_again(clock):
    with folder_for_anyone() as folder:
        store = JsonlThreadStore(folder / "data", clock)
        store.create_thread(thread())
        store.create_message("t", said("m1"))
        with read_only(folder):
            for act in (
                lambda: store.create_message("t", said("m2")),
                lambda: store.modify_thread(thread(title="New")),
                lambda: store.create_thread(thread("n")),
                lambda: store.delete_thread("t"),
                lambda: JsonlThreadStore(folder / "other", clock),
            ):
                with pytest.raises(StorageFailed, match="allow"):
                    act()
            fresh = JsonlThreadStore(folder / "data", clock)
            assert ids(store.read("t")) == ids(fresh.read("t")) == ["m1"]
            assert [each.title for each in fresh.list_threads()] == ["Harbour walk"]
        store.create_message("t", said("m2"))
        assert ids(store.read("t")) == ["m1", "m2"]
