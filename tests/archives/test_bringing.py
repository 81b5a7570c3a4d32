"""Bringing in: whole or not at all, once, to whom it belongs, and what is bad stops nothing."""

import io
import shutil
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.archives.lives import lived
from webapp.archives import bringing
from webapp.archives.bringing import Bringing, Rooms
from webapp.archives.come import (
    AssistantCome,
    DamagedCome,
    FileCome,
    ProjectCome,
    Source,
    ThreadCome,
)
from webapp.archives.sources import source
from webapp.archives.whose import Whose
from webapp.documents import files
from webapp.documents.file_facts import FileFacts
from webapp.documents.scope import project_scope, thread_scope
from webapp.errors import BadInput, StorageFailed
from webapp.threads.assistants import Assistants
from webapp.threads.ownership import owner_in

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"
PEOPLE = frozenset({"ann", "bob"})
ALL = Whose()
ANN, BOB = Whose("ann", True, PEOPLE), Whose("bob", False, PEOPLE)


@pytest.fixture
def rooms(library, projects, data, clock, new_id):
    assistants = Assistants(data, clock_ms=clock, new_id=new_id)
    return Rooms(library, projects, assistants, data, 1000)


@pytest.fixture
def bring(rooms):
    def run(*comes, whose=ALL, dry=False, heard=lambda now: None):
        made = Source("Test", lambda: iter(comes), len(comes))
        return Bringing(rooms, whose, dry=dry, heard=heard).run(made)

    return run


def come(id="lived", file=b"", **metadata):
    @contextmanager
    def opened():
        yield io.BytesIO(file)

    there = (FileCome(FileFacts("f1", "a.txt", added_ms=5), len(file), opened),) if file else ()
    return ThreadCome(*lived(id, **metadata), files=there)


def titles(library):
    return {row.id for row in library.threads()}


def test_a_thread_comes_in_whole_and_every_message_knows_its_thread(bring, library):
    thread, messages = lived("from-there")
    bent = [each.with_fields(thread_id="other") for each in messages]
    done = bring(ThreadCome(thread, tuple(bent)))
    assert (done.threads, done.messages, done.known) == (1, 7, 0)
    assert library.acts.whole("from-there") == (thread, messages)


def test_looking_counts_the_same_and_stores_nothing(bring, library, data):
    comes = (
        come(file=b"words"),
        come("b", file=b"x" * 2000),
        ProjectCome({"id": "p", "name": "P"}),
        AssistantCome("tutor", {"name": "Tutor"}),
        DamagedCome("Torn", "It is torn."),
    )
    before = sorted(data.rglob("*"))
    dry = bring(*comes, dry=True)
    assert sorted(data.rglob("*")) == before
    done = bring(*comes)
    assert dry == done
    assert (done.threads, done.files, done.projects, done.assistants, done.lost) == (2, 1, 1, 1, 1)
    assert done.damaged == ["Torn: It is torn."]
    assert "“a.txt” was left out" in done.notes[0]
    assert done.is_anything
    again = bring(*comes)
    assert (again.threads, again.projects, again.assistants, again.known) == (0, 0, 0, 2)
    assert not again.is_anything


def test_a_thread_that_is_in_the_trash_stays_there(bring, library):
    bring(come())
    library.delete("lived")
    done = bring(come())
    assert (done.threads, done.trashed) == (0, 1)
    assert titles(library) == set()


def test_one_that_comes_twice_in_one_file_comes_once(bring):
    done = bring(come(), come())
    assert (done.threads, done.known) == (1, 1)


def test_what_comes_belongs_to_who_brings_it_and_is_shared_with_nobody(bring, library):
    bring(come(owner="ann", shares={"all": "write"}), whose=BOB)
    thread = library.thread("lived")
    assert owner_in(thread.metadata) == "bob"
    assert "shares" not in thread.metadata


def test_nobody_brings_in_what_another_is_said_to_have_asked(bring, library):
    thread, messages = lived("signed")
    signed = [each.with_metadata({"askedBy": "ann"}) for each in messages]
    bring(ThreadCome(thread, tuple(signed)), whose=BOB)
    assert library.acts.whole("signed")[1] == messages


def test_what_is_anothers_is_not_touched_and_ones_own_copy_comes_once(bring, library):
    bring(come(), whose=ANN)
    for _ in range(2):
        done = bring(come(), whose=BOB)
    assert (done.threads, done.known) == (0, 1)
    assert len(titles(library)) == 2
    assert owner_in(library.thread("lived").metadata) == "ann"
    copy = next(row for row in library.threads() if row.id != "lived")
    assert {each.thread_id for each in library.acts.whole(copy.id)[1]} == {copy.id}


def test_a_thread_that_cannot_be_read_keeps_its_place(bring, library, data):
    bring(come())
    (data / "threads/lived/thread.json").write_text("{")
    library._desk.open_threads.close_idle()
    assert bring(come()).threads == 1
    assert bring(come()).known == 1
    assert (data / "threads/lived/thread.json").read_text() == "{"


def test_a_link_to_a_project_stays_only_where_one_may_write(bring, library, projects):
    anns = projects.make("Ann's", owner="ann").id
    link = {"project": {"id": anns}}
    for id, shares, kept in (
        ("x", {}, False),
        ("y", {"bob": "read"}, False),
        ("z", {"bob": "write"}, True),
    ):
        projects.share(anns, shares)
        bring(come(id, **link), whose=BOB)
        assert ("project" in library.thread(id).metadata) is kept


def test_a_project_comes_with_its_threads_also_under_a_new_id(bring, library, projects, data):
    fields = {
        "id": "p",
        "name": "P",
        "instructions": "I",
        "owner": "ann",
        "shares": {"all": "read"},
    }
    comes = (ProjectCome(fields), come(project={"id": "p"}))
    bring(*comes, whose=ANN)
    for _ in range(2):
        bring(*comes, whose=BOB)
    mine = [each for each in projects.all() if each.data.get("owner") == "bob"]
    assert [(each.name, "shares" in each.data) for each in mine] == [("P", False)]
    own = next(row for row in library.threads() if owner_in(row.metadata) == "bob")
    assert own.metadata["project"] == {"id": mine[0].id}
    assert library.thread("lived").metadata["project"] == {"id": "p"}


def test_assistants_come_only_with_the_owner_and_take_no_others_place(bring, rooms):
    tutor = AssistantCome("tutor", {"name": "Tutor"})
    assert bring(tutor, whose=BOB).notes == ["The assistant Tutor: only the owner can import it."]
    assert bring(tutor, whose=ANN).assistants == 1
    assert bring(AssistantCome("tutor", {"name": "Other"}), whose=ANN).assistants == 0
    assert rooms.assistants.get("tutor").name == "Tutor"


def test_files_are_there_before_their_thread_is_listed(rooms, data, library):
    seen = []
    take_in = library.acts.take_in

    def watch(thread, messages):
        seen.append([each.name for each in files.load(thread_scope(data, thread.id))])
        seen.append(titles(library))
        take_in(thread, messages)

    library.acts.take_in = watch
    returned = []
    rooms = replace(rooms, returned=lambda scope: returned.append(scope.id))
    made = Source("Test", lambda: iter([come(file=b"words")]))
    Bringing(rooms, Whose(), dry=False, heard=lambda now: None).run(made)
    assert seen == [["a.txt"], set()]
    assert returned == ["lived"]


def test_a_thread_that_is_refused_leaves_no_file_and_stops_no_other(bring, data, library):
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    done = bring(come(file=b"words", deep=deep), come("b"))
    assert (done.threads, done.lost) == (1, 1)
    assert "nested too deeply" in done.damaged[0]
    assert not (data / "threads/lived").exists()


def test_a_damaged_file_stays_behind_and_its_thread_comes(bring, data):
    class Torn:
        def read(self, size):
            raise BadInput("It is damaged in the zip.")

    @contextmanager
    def opened():
        yield Torn()

    torn = replace(come(), files=(FileCome(FileFacts("f1", "a.txt"), 5, opened),))
    done = bring(torn)
    assert (done.threads, done.files) == (1, 0)
    assert done.notes == [
        "The lease: 1/2: the file “a.txt” was left out. It is damaged in the zip."
    ]
    assert files.load(thread_scope(data, "lived")) == []


def test_a_full_disk_ends_it_and_what_came_is_there(bring, library, monkeypatch):
    def full(*_):
        raise StorageFailed("Nothing was saved: the disk is full.", "Free some space.")

    bring(come("a"))
    monkeypatch.setattr(bringing, "carry_in", full)
    with pytest.raises(StorageFailed):
        bring(come("b"), come("c", file=b"x"), come("d"))
    assert titles(library) == {"a", "b"}
    monkeypatch.undo()
    assert bring(come("b"), come("c", file=b"x"), come("d")).threads == 2


class Stopped(Exception):
    """The machine stops here."""


def stopped(*_):
    raise Stopped


def brought_project(*names):
    files = come(file=b"words").files
    named = (replace(files[0], facts=FileFacts(f"f{name}", name)) for name in names)
    return ProjectCome({"id": "p", "name": "P"}, tuple(named))


@pytest.mark.parametrize("whole", [0, 1])
def test_the_files_of_a_project_that_a_crash_left_out_come_with_the_next_try(
    bring, data, projects, monkeypatch, whole
):
    carry_in, made = bringing.carry_in, brought_project("a", "b")

    def stops(scope, facts, *more):
        if len(files.load(scope)) >= whole:
            (scope.folder / facts.id).mkdir(parents=True)  # begun, and no more
            raise Stopped
        carry_in(scope, facts, *more)

    monkeypatch.setattr(bringing, "carry_in", stops)
    with pytest.raises(Stopped):
        bring(made)
    monkeypatch.undo()
    dry, done = bring(made, dry=True), bring(made)
    assert (dry.projects, dry.files) == (done.projects, done.files) == (1, 2 - whole)
    scope = project_scope(data, "p")
    assert {each.name for each in files.load(scope)} == {"a", "b"}
    assert all(files.original(scope, f"f{name}").read_bytes() == b"words" for name in "ab")
    assert bring(made).is_anything is False


def test_a_file_that_was_deleted_from_a_project_here_does_not_come_again(bring, data):
    bring(brought_project("a", "b"))
    scope = project_scope(data, "p")
    shutil.rmtree(scope.folder / "fa")
    done = bring(brought_project("a", "b"))
    assert (done.projects, done.files) == (0, 0)
    assert [each.name for each in files.load(scope)] == ["b"]


def test_the_files_of_what_was_added_since_are_there_before_it(bring, library, data, monkeypatch):
    thread, messages = lived()
    bring(ThreadCome(thread, tuple(messages[:3])))
    go_on = library.acts.go_on
    monkeypatch.setattr(
        library.acts, "go_on", lambda *it, dry: go_on(*it, dry=True) if dry else stopped()
    )
    with pytest.raises(Stopped):
        bring(come(file=b"words"))
    monkeypatch.undo()
    assert bring(come(file=b"words")).continued == 1
    assert [each.name for each in files.load(thread_scope(data, "lived"))] == ["a.txt"]


def test_what_was_added_since_and_is_refused_leaves_no_file(bring, library, data, monkeypatch):
    thread, messages = lived()
    bring(ThreadCome(thread, tuple(messages[:3])))
    go_on = library.acts.go_on

    def full(*it, dry):
        if not dry:
            raise StorageFailed("Nothing was saved: the disk is full.", "Free some space.")
        return go_on(*it, dry=True)

    monkeypatch.setattr(library.acts, "go_on", full)
    with pytest.raises(StorageFailed):
        bring(come(file=b"words"))
    assert files.load(thread_scope(data, "lived")) == []


def test_a_source_that_breaks_off_is_told(rooms):
    def broken():
        yield come()
        raise BadInput("One thread is too large.")

    done = Bringing(rooms, Whose(), dry=False, heard=lambda now: None).run(Source("T", broken))
    assert (done.threads, done.lost) == (1, 1)
    assert done.damaged == ["The rest could not be read. One thread is too large."]


def test_progress_is_told_and_rubbish_fills_no_memory(bring, monkeypatch):
    monkeypatch.setattr(bringing, "MOST_TOLD", 3)
    seen = []
    done = bring(
        *[DamagedCome(str(number), "x" * 5000) for number in range(9)],
        heard=lambda now: seen.append(now.looked_at),
    )
    assert seen == list(range(10))
    assert done.lost == 9
    assert len(done.damaged) == 4
    assert max(map(len, done.damaged)) <= 500


@pytest.mark.parametrize("name", sorted(each.name for each in EXPORTS.glob("*.json")))
def test_exports_of_others_come_in_once(rooms, library, name):
    counts = []
    for dry in (True, False, False):
        with source(EXPORTS / name, 1) as found:
            done = Bringing(rooms, Whose(), dry=dry, heard=lambda now: None).run(found)
            counts.append((done.threads, done.messages, done.known, done.lost))
    assert counts[0] == counts[1]
    assert (counts[2][0], counts[2][2]) == (0, counts[1][0])
    for row in library.threads():
        assert library.view(row.id).shown


def test_what_chatgpt_was_given_is_searched_here(rooms, tmp_path, data):
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.write(EXPORTS / "chatgpt.json", "conversations.json")
        archive.writestr("file-Tide1-tides.csv", "hour,height\n6,3.1\n")
    with source(tmp_path / "in.zip", 1) as found:
        done = Bringing(rooms, Whose(), dry=False, heard=lambda now: None).run(found)
    assert done.files == 1
    scope = thread_scope(data, "chatgpt-67000000-aaaa-4000-8000-000000000002")
    assert [each.name for each in files.load(scope)] == ["tides.csv"]
    assert not project_scope(data, "p").folder.exists()


def test_what_was_added_there_since_comes_too_with_what_is_shown_there(bring, library, data):
    thread, messages = lived()
    bring(ThreadCome(thread, tuple(messages[:3])))
    library.rename("lived", "My own name")
    library.marks.pin("lived", "a2", on=True)
    dry = bring(come(file=b"words"), dry=True)
    done = bring(come(file=b"words"))
    assert dry == done
    assert (done.threads, done.known, done.continued, done.messages) == (0, 1, 1, 4)
    assert [each.name for each in files.load(thread_scope(data, "lived"))] == ["a.txt"]
    assert done.is_anything
    assert library.thread("lived").title == "My own name"
    assert [each.message.id for each in library.view("lived").shown] == [
        "q1",
        "a1",
        "q2",
        "t1",
        "t2",
    ]
    assert library.message("lived", "a2").metadata["pinned"] is True
    assert bring(come()).is_anything is False


def test_one_that_went_on_here_or_lost_something_here_is_left_as_it_is(bring, library):
    thread, messages = lived()
    bring(ThreadCome(thread, tuple(messages[:3])), ThreadCome(*lived("b")))
    library.ask("lived", "A question of my own")
    library.acts.delete("b", "q3", all_versions=False)
    before = [library.acts.whole(id) for id in ("lived", "b")]
    done = bring(come(), come("b"))
    assert (done.known, done.continued) == (2, 0)
    assert [library.acts.whole(id) for id in ("lived", "b")] == before
