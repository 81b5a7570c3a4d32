"""What every thread store must do, whatever it is made of.

A subclass gives `store` and `behind`, a way to its data that goes around it:
`behind.reopened()` is a store that never saw what was done before, as after a restart;
`behind.put_line(thread_id, text)` adds a message as another program would have written it;
`behind.break_thread(thread_id)` makes the thread's own fields unreadable.
"""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from webapp.chat.messages import Message, new_message, new_thread
from webapp.chat.records import ActiveRoot, Append, Delete, Patch, Put
from webapp.errors import BadInput, Conflict, Damaged, NotFound
from webapp.threads.store import DamagedThread

DAY = 24 * 3600 * 1000


def said(id, text="words", *, parent=None, thread_id="t", **fields):
    message = new_message(
        id=id,
        thread_id=thread_id,
        role="user",
        text=text,
        created_at=1_767_225_600_000,
        metadata={"parentId": parent},
    )
    return message.with_fields(**fields)


def thread(id="t", title="Harbour walk", updated=1_767_225_600):
    return new_thread(id=id, title=title, created=updated)


def texts(contents):
    return {message.id: message.text for message in contents.messages}


def ids(contents):
    return [message.id for message in contents.messages]


class ThreadStoreContract:
    @pytest.fixture
    def walk(self, store):
        """A thread of three messages: a question and two answers, the second one shown."""
        store.create_thread(thread())
        store.write(
            "t",
            [
                Put(said("q").with_metadata({"activeChildId": "a2"})),
                Put(said("a1", parent="q")),
                Put(said("a2", parent="q")),
            ],
        )
        return "t"

    # --- threads ---

    def test_a_new_thread_is_there_also_after_a_restart(self, store, behind):
        store.create_thread(thread())
        for each in (store, behind.reopened()):
            assert each.get_thread("t") == thread()
            assert each.list_threads() == [thread()]
            assert each.read("t").messages == ()

    def test_a_thread_may_come_with_its_first_messages(self, store, behind):
        store.create_thread(thread(), [said("q"), said("a", "Odd \ud800 \0", parent="q")])
        for each in (store, behind.reopened()):
            assert each.get_thread("t") == thread()
            assert texts(each.read("t")) == {"q": "words", "a": "Odd \ud800 \0"}
            assert each.changes("t") == []

    def test_creating_a_known_thread_changes_nothing(self, store):
        store.create_thread(thread(title="First"), [said("m")])
        store.create_thread(thread(title="Second"), [said("n")])
        assert store.get_thread("t").title == "First"
        assert ids(store.read("t")) == ["m"]

    def test_a_thread_with_a_message_that_cannot_be_saved_is_not_created(self, store, behind):
        with pytest.raises(BadInput):
            store.create_thread(thread(), [said("m"), Message({"id": "n"})])
        assert store.list_threads() == behind.reopened().list_threads() == []
        store.create_thread(thread(), [said("m")])
        assert ids(store.read("t")) == ["m"]

    def test_modifying_an_unknown_thread_inserts_it(self, store):
        store.modify_thread(thread(title="Late"))
        assert store.get_thread("t").title == "Late"

    def test_the_list_has_the_newest_first_and_ties_by_id(self, store):
        for id, updated in (("b", 5), ("c", 9), ("a", 5)):
            store.create_thread(thread(id, updated=updated))
        assert [each.id for each in store.list_threads()] == ["c", "a", "b"]
        store.modify_thread(store.get_thread("b").with_fields(updated=10))
        assert [each.id for each in store.list_threads()] == ["b", "c", "a"]

    def test_unknown_threads_are_not_found(self, store):
        for id in ("missing", "../other", "a/b", ".", "", "x" * 65, "a\0b"):
            with pytest.raises(NotFound):
                store.get_thread(id)
            with pytest.raises(NotFound):
                store.read(id)
            with pytest.raises(NotFound):
                store.write(id, [Put(said("m"))])
            with pytest.raises(NotFound):
                store.create_message(id, said("m"))
            with pytest.raises(NotFound):
                store.delete_thread(id)
            with pytest.raises(NotFound):
                store.restore_thread(id)

    def test_unknown_fields_of_a_thread_survive_a_rename(self, store, behind):
        store.create_thread(thread().with_fields(pinned=[1, {"é": None}], model="m"))
        store.modify_thread(store.get_thread("t").with_fields(title="New"))
        found = behind.reopened().get_thread("t")
        assert found.data["pinned"] == [1, {"é": None}]
        assert (found.title, found.data["model"]) == ("New", "m")

    def test_a_broken_thread_hides_no_other_and_stays_listed(self, store, behind, walk):
        store.create_thread(thread("good"))
        behind.break_thread("t")
        for each in (store, behind.reopened()):
            listed = {entry.id: entry for entry in each.list_threads()}
            assert listed["good"] == thread("good")
            assert isinstance(listed["t"], DamagedThread)
            assert listed["t"].problem
            assert len(each.read("t").messages) == 3
            with pytest.raises(Damaged):
                each.get_thread("t")

    def test_nothing_overwrites_a_broken_thread(self, store, behind, walk):
        behind.break_thread("t")
        store.create_thread(thread())
        with pytest.raises(Damaged):
            store.modify_thread(thread())
        with pytest.raises(Damaged):
            store.write("t", [Put(said("m"))], active_root=ActiveRoot("m"))
        with pytest.raises(Damaged):
            store.get_thread("t")
        assert ids(store.read("t")) == ["q", "a1", "a2"]

    # --- messages ---

    def test_messages_come_back_in_the_order_they_came(self, store, behind, walk):
        store.create_message("t", said("z"))
        store.create_message("t", said("b"))
        for each in (store, behind.reopened()):
            assert ids(each.read("t")) == ["q", "a1", "a2", "z", "b"]
            assert each.read("t").notices == ()

    def test_a_message_comes_back_whole(self, store, behind, walk):
        odd = said(
            "m", "a\0b\ud800 \u2028\x85\r\n\U0001f600 \ufeff", at=5, crc="x", act='["z"]', n=1.5
        )
        odd = odd.with_metadata({"deep": [{"patch": None}], "append": "", "": True})
        store.create_message("t", odd)
        for each in (store, behind.reopened()):
            assert each.read("t").messages[-1] == odd

    def test_creating_a_known_message_changes_nothing(self, store, walk):
        store.create_message("t", said("q", "other"))
        assert texts(store.read("t"))["q"] == "words"

    def test_a_modification_may_come_before_its_creation(self, store, behind, walk):
        store.write("t", [Put(said("m", "final"))])
        store.create_message("t", said("m", "draft"))
        assert texts(behind.reopened().read("t"))["m"] == "final"

    def test_a_known_message_is_replaced_in_its_place(self, store, behind, walk):
        store.write("t", [Put(said("a1", "better", parent="q"))])
        for each in (store, behind.reopened()):
            assert ids(each.read("t")) == ["q", "a1", "a2"]
            assert texts(each.read("t"))["a1"] == "better"

    def test_patches_merge_metadata_and_appends_extend_the_text(self, store, behind, walk):
        store.write("t", [Patch("q", {"pin": True, "activeChildId": "a1"}), Append("a1", " and")])
        store.write("t", [Append("a1", " more\ud83d"), Patch("q", {"pin": None})], durable=False)
        for each in (store, behind.reopened()):
            q, a1, _ = each.read("t").messages
            assert q.metadata == {"parentId": None, "activeChildId": "a1", "pin": None}
            assert a1.text == "words and more\ud83d"

    def test_a_deleted_message_is_gone(self, store, behind, walk):
        store.write("t", [Delete("a1"), Patch("q", {"activeChildId": "a2"})])
        for each in (store, behind.reopened()):
            assert ids(each.read("t")) == ["q", "a2"]

    def test_changes_of_unknown_messages_change_nothing(self, store, behind, walk):
        before = store.read("t").messages
        store.write("t", [Patch("x", {"a": 1}), Append("x", "y"), Delete("x")])
        assert store.read("t").messages == behind.reopened().read("t").messages == before

    def test_writing_nothing_is_nothing(self, store, walk):
        before = store.read("t")
        store.write("t", [], what="Nothing")
        assert store.read("t") == before
        assert store.changes("t") == []

    def test_the_active_root_is_written_with_the_records(self, store, behind, walk):
        store.write("t", [Put(said("q2"))], active_root=ActiveRoot("q2"))
        assert behind.reopened().get_thread("t").active_root_id == "q2"
        assert store.get_thread("t").title == "Harbour walk"

    def test_what_could_not_be_read_back_is_refused_and_nothing_is_saved(self, store, walk):
        nested = []
        for _ in range(5000):
            nested = [nested]
        for bad in (Message({"id": "m"}), Message({"role": "user"}), said("m", extra=nested)):
            with pytest.raises(BadInput):
                store.write("t", [Put(said("before")), Put(bad)])
        assert ids(store.read("t")) == ["q", "a1", "a2"]

    def test_a_message_of_two_megabytes_is_saved(self, store, behind, walk):
        store.create_message("t", said("m", "é\n" * 1_000_000))
        assert len(texts(behind.reopened().read("t"))["m"]) == 2_000_000

    def test_the_fields_of_other_programs_survive_every_operation(self, store, behind, walk):
        raw = said("j", "theirs").with_fields(price="N", at=1, crc=2, act="[]").data
        line = json.dumps(raw).replace('"N"', "[1.10, 1E5, -0, 12345678901234567890, 1e999]")
        behind.put_line("t", line)
        store.write("t", [Patch("j", {"pin": 1}), Append("j", "!")])
        store.rewrite("t")
        found = behind.reopened().read("t").messages[-1]
        assert (found.id, found.text, found.metadata["pin"]) == ("j", "theirs!", 1)
        assert [found.data[field] for field in ("at", "crc", "act")] == [1, 2, "[]"]
        assert found.data["price"] == [1.1, 1e5, 0, 12345678901234567890, float("inf")]
        assert "[1.10,1E5,-0,12345678901234567890,1e999]" in behind.stored_text("t")

    # --- several at once ---

    def test_fifty_appends_and_fifty_edits_at_once_all_land(self, store, behind, walk):
        store.write("t", [Put(said(f"e{n}", "draft")) for n in range(50)])
        start = threading.Barrier(10)

        def work(worker):
            start.wait()
            for n in range(worker, 50, 10):
                store.create_message("t", said(f"m{n}", str(n)))
                store.write("t", [Put(said(f"e{n}", f"edit {n}"))])

        with ThreadPoolExecutor(10) as pool:
            list(pool.map(work, range(10)))
        for each in (store, behind.reopened()):
            found = texts(each.read("t"))
            assert [found[f"m{n}"] for n in range(50)] == [str(n) for n in range(50)]
            assert [found[f"e{n}"] for n in range(50)] == [f"edit {n}" for n in range(50)]

    def test_readers_see_whole_acts_while_others_write(self, store, walk):
        def write(n):
            store.write("t", [Put(said(f"{n}-{part}")) for part in range(5)])

        def read(_):
            return len(store.read("t").messages)

        with ThreadPoolExecutor(4) as pool:
            writing = [pool.submit(write, n) for n in range(40)]
            counts = list(pool.map(read, range(40)))
        assert all(each.result() is None for each in writing)
        assert all((count - 3) % 5 == 0 for count in counts)

    # --- undo ---

    def test_named_acts_are_listed_newest_first_and_unnamed_ones_are_not(self, store, behind, walk):
        store.write("t", [Delete("a1")], what="Deleted “a1”")
        store.write("t", [Append("a2", "!")])
        store.write("t", [Patch("q", {"pin": 1}), Patch("a2", {"pin": 1})], what="Pinned 2")
        for each in (store, behind.reopened()):
            found = each.changes("t")
            assert [change.what for change in found] == ["Pinned 2", "Deleted “a1”"]
            assert found[0].message_ids == ("q", "a2")
            assert found[0].at > found[1].at

    def test_a_deleted_subtree_comes_back_in_its_place(self, store, behind, walk):
        store.write("t", [Put(said(f"s{n}", parent=f"s{n - 1}")) for n in range(12)])
        store.create_message("t", said("last"))
        before = store.read("t").messages
        gone = [Delete(f"s{n}") for n in range(12)]
        store.write("t", [*gone, Patch("q", {"activeChildId": "a1"})], what="Deleted 12 messages")
        assert len(store.read("t").messages) == 4
        again = behind.reopened()
        restored = again.undo("t", again.changes("t")[0].id)
        assert restored.messages == before
        assert behind.reopened().read("t").messages == before

    def test_an_undo_can_be_undone_and_that_too(self, store, walk):
        whole = store.read("t").messages
        store.write("t", [Delete("a1")], what="Deleted a1")
        without = store.read("t").messages
        store.undo("t", store.changes("t")[0].id)
        assert store.read("t").messages == whole
        assert store.undo("t", store.changes("t")[0].id).messages == without
        assert store.undo("t", store.changes("t")[0].id).messages == whole
        assert len(store.changes("t")) == 4

    def test_undoing_twice_is_a_conflict_and_changes_nothing(self, store, walk):
        store.write("t", [Delete("a1")], what="Deleted a1")
        change = store.changes("t")[0].id
        after = store.undo("t", change)
        with pytest.raises(Conflict):
            store.undo("t", change)
        assert store.read("t").messages == after.messages

    def test_an_edit_in_place_is_undone(self, store, walk):
        before = store.read("t").messages
        store.write("t", [Put(said("a1", "edited", parent="q"))], what="Edited")
        assert store.undo("t", store.changes("t")[0].id).messages == before

    def test_an_edit_that_made_a_version_is_undone_with_the_answers_to_it(self, store, walk):
        before = store.read("t").messages
        store.write(
            "t", [Put(said("a3", parent="q")), Patch("q", {"activeChildId": "a3"})], what="Edited"
        )
        store.write("t", [Put(said("r", parent="a3")), Patch("a3", {"activeChildId": "r"})])
        assert store.undo("t", store.changes("t")[0].id).messages == before

    def test_an_edit_whose_answer_streams_is_not_undone_yet(self, store, walk):
        store.write("t", [Put(said("a3", parent="q"))], what="Edited")
        store.write("t", [Put(said("r", parent="a3", status="pending"))])
        with pytest.raises(Conflict):
            store.undo("t", store.changes("t")[0].id)

    def test_a_switch_is_undone(self, store, walk):
        before = store.read("t").messages
        store.write("t", [Patch("q", {"activeChildId": "a1"})], what="Switched")
        assert store.undo("t", store.changes("t")[0].id).messages == before

    def test_an_older_act_on_the_same_thing_is_a_conflict(self, store, walk):
        store.write("t", [Put(said("a1", "one"))], what="First")
        store.write("t", [Put(said("a1", "two"))], what="Second")
        with pytest.raises(Conflict):
            store.undo("t", store.changes("t")[1].id)
        assert texts(store.read("t"))["a1"] == "two"

    def test_what_came_later_elsewhere_is_kept_by_an_undo(self, store, walk):
        store.write("t", [Delete("a1"), Patch("q", {"activeChildId": "a2"})], what="Deleted")
        store.write("t", [Patch("q", {"pin": 1, "activeChildId": "new"}), Put(said("new"))])
        after = store.undo("t", store.changes("t")[0].id)
        assert ids(after) == ["q", "a1", "a2", "new"]
        assert after.messages[0].metadata["pin"] == 1
        assert after.messages[0].active_child_id == "new"

    def test_a_rename_is_listed_and_undone(self, store, behind, walk):
        store.modify_thread(store.get_thread("t").with_fields(title="New"), what="Renamed")
        store.modify_thread(store.get_thread("t").with_fields(updated=9e9))
        again = behind.reopened()
        change = again.changes("t")[0]
        assert (change.what, change.message_ids) == ("Renamed", ())
        again.undo("t", change.id)
        with pytest.raises(Conflict):
            again.undo("t", change.id)
        assert store.get_thread("t").title == "Harbour walk"
        assert store.get_thread("t").updated == 9e9
        again.undo("t", again.changes("t")[0].id)
        assert store.get_thread("t").title == "New"

    def test_a_switch_of_roots_is_undone(self, store, walk):
        store.write("t", [Put(said("q2"))], active_root=ActiveRoot("q2"), what="Edited")
        change = store.changes("t")[0]
        store.undo("t", change.id)
        assert store.get_thread("t").active_root_id is None
        assert ids(store.read("t")) == ["q", "a1", "a2"]
        store.write("t", [], active_root=ActiveRoot("q"), what="Switched")
        store.write("t", [], active_root=ActiveRoot("zz"), what="Switched again")
        store.undo("t", store.changes("t")[0].id)
        assert store.get_thread("t").active_root_id == "q"

    def test_unknown_and_month_old_changes_cannot_be_undone(self, store, walk, clock):
        store.write("t", [Delete("a1")], what="Deleted")
        clock.now += 31 * DAY
        assert store.changes("t") == []
        with pytest.raises(NotFound):
            store.undo("t", "nothing")

    def test_a_thread_can_be_seen_as_it_was(self, store, behind, walk, clock):
        whole = store.read("t").messages
        moment = clock()
        store.write("t", [Put(said("a1", "edited")), Delete("a2")], what="Edited")
        later = clock()
        store.rewrite("t")
        store.write("t", [Delete("a1")])
        for each in (store, behind.reopened()):
            assert each.as_of("t", moment).messages == whole
            assert texts(each.as_of("t", later)) == {"q": "words", "a1": "edited"}
            assert ids(each.as_of("t", clock())) == ["q"]
            assert each.as_of("t", 0).messages == ()
        assert ids(store.read("t")) == ["q"]

    def test_the_title_and_the_root_are_known_as_they_were(self, store, behind, walk, clock):
        first = clock()
        store.modify_thread(store.get_thread("t").with_fields(title="New"), what="Renamed")
        renamed = clock()
        store.write("t", [Put(said("q2"))], active_root=ActiveRoot("q2"), what="Edited")
        store.write("t", [], active_root=ActiveRoot("q"), what="Switched")
        for each in (store, behind.reopened()):
            was, later = each.thread_as_of("t", first), each.thread_as_of("t", renamed)
            assert (was.title, was.active_root_id) == ("Harbour walk", None)
            assert (later.title, later.active_root_id) == ("New", None)
            assert each.thread_as_of("t", clock()) == each.get_thread("t")
        with pytest.raises(NotFound):
            store.thread_as_of("nobody", first)

    # --- rewriting ---

    def test_rewriting_changes_no_message_and_keeps_every_undo(self, store, behind, walk):
        store.write("t", [Delete("a1")], what="Deleted")
        store.write("t", [Patch("q", {"pin": 1}), Append("a2", "!")], what="Pinned")
        before = store.read("t").messages
        store.rewrite("t")
        again = behind.reopened()
        assert again.read("t").messages == before
        assert [change.what for change in again.changes("t")] == ["Pinned", "Deleted"]
        again.undo("t", again.changes("t")[1].id)
        assert ids(again.read("t")) == ["q", "a1", "a2"]
        assert behind.reopened().read("t").messages == again.read("t").messages

    def test_after_rewriting_a_subtree_comes_back_in_its_place(self, store, behind, walk, clock):
        store.write("t", [Put(said("b1", "one", parent="a1")), Put(said("b2", parent="b1"))])
        store.create_message("t", said("last"))
        before = store.read("t").messages
        store.write("t", [Delete(id) for id in ("b2", "b1", "a1")], what="Deleted 3 messages")
        store.rewrite("t")
        moment = clock()
        store.write("t", [Put(said("later"))])
        again = behind.reopened()
        after = again.undo("t", again.changes("t")[0].id).messages
        assert after == (*before, said("later"))
        assert ids(behind.reopened().as_of("t", moment)) == ["q", "a2", "last"]
        assert [each.what for each in again.changes("t")][1:] == ["Deleted 3 messages"]

    def test_a_thread_an_answer_streams_into_is_not_rewritten(self, store, walk):
        store.write("t", [Put(said("a3", "so far", status="pending"))])
        with pytest.raises(Conflict):
            store.rewrite("t")
        store.write("t", [Put(said("a3", "done"))])
        store.rewrite("t")
        assert texts(store.read("t"))["a3"] == "done"

    # --- trash ---

    def test_a_deleted_thread_is_in_the_trash_and_comes_back_as_it_was(self, store, behind, walk):
        store.write("t", [Delete("a1")], what="Deleted a1")
        before = store.get_thread("t"), store.read("t"), store.changes("t")
        store.delete_thread("t")
        for each in (store, behind.reopened()):
            assert each.list_threads() == []
            assert [(found.id, found.title) for found in each.trash()] == [("t", "Harbour walk")]
            with pytest.raises(NotFound):
                each.read("t")
        behind.reopened().restore_thread("t")
        assert (store.get_thread("t"), store.read("t"), store.changes("t")) == before
        assert store.trash() == []

    def test_files_go_into_the_trash_with_their_thread_and_back_and_out(self, store, behind, walk):
        store.create_thread(thread("other"))
        for id in ("t", "other"):
            place = behind.root / "threads" / id / "files" / "f1"
            place.mkdir(parents=True)
            (place / "original").write_text(id)
        for each in (store, behind.reopened()):
            each.delete_thread("t")
            assert not (behind.root / "threads" / "t" / "files").exists()
            each.restore_thread("t")
            assert (behind.root / "threads/t/files/f1/original").read_text() == "t"
        store.delete_thread("t")
        assert store.empty_trash() == 1
        left = [path.read_text() for path in behind.root.rglob("original")]
        assert left == ["other"]

    def test_a_broken_thread_can_be_trashed_and_restored(self, store, behind, walk):
        behind.break_thread("t")
        store.delete_thread("t")
        assert [found.id for found in store.trash()] == ["t"]
        store.restore_thread("t")
        assert len(store.read("t").messages) == 3
        with pytest.raises(Damaged):
            store.get_thread("t")

    def test_restoring_over_a_thread_of_the_same_id_is_a_conflict(self, store, walk):
        store.delete_thread("t")
        store.create_thread(thread(title="Another"))
        with pytest.raises(Conflict):
            store.restore_thread("t")
        assert store.get_thread("t").title == "Another"
        store.delete_thread("t")
        assert [found.title for found in store.trash()] == ["Another", "Harbour walk"]
        store.restore_thread("t")
        assert store.get_thread("t").title == "Another"

    def test_the_trash_is_emptied_whole_or_up_to_a_moment(self, store, behind, clock):
        for id in ("a", "b", "c"):
            store.create_thread(thread(id))
        store.delete_thread("a")
        moment = clock()
        store.delete_thread("b")
        store.delete_thread("c")
        assert store.empty_trash(moment) == 1
        assert [found.id for found in behind.reopened().trash()] == ["c", "b"]
        assert store.empty_trash() == 2
        assert store.empty_trash() == 0
        assert behind.reopened().trash() == []
        with pytest.raises(NotFound):
            store.restore_thread("b")

    def test_the_trash_says_whose_a_thread_is_and_is_emptied_for_one_alone(self, store, behind):
        for id, fields in (("a", {"owner": "ada"}), ("b", {"owner": "ben"}), ("c", {"owner": 5})):
            store.create_thread(thread(id).with_metadata(fields))
            store.delete_thread(id)
        owners = {found.id: found.owner for found in behind.reopened().trash()}
        assert owners == {"a": "ada", "b": "ben", "c": ""}
        assert store.empty_trash(whose=lambda owner: owner == "ben") == 1
        assert store.empty_trash(1, whose=lambda owner: owner == "ada") == 0
        assert [found.id for found in behind.reopened().trash()] == ["c", "a"]

    def test_closing_twice_is_harmless(self, store, walk):
        store.close()
        store.close()
