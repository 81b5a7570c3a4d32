"""Threads in and out of projects, in both kinds of store."""

import pytest

from webapp.errors import Damaged, NotFound
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.library import ThreadLibrary
from webapp.threads.sqlite import SqliteThreadStore


@pytest.fixture(params=["jsonl", "sqlite"])
def store(request, tmp_path, clock):
    make = {"jsonl": JsonlThreadStore, "sqlite": SqliteThreadStore}[request.param]
    store = make(tmp_path / "data", clock)
    yield store
    store.close()


@pytest.fixture
def project(projects):
    return projects.make("Tax", "Answer as a tax adviser.")


@pytest.fixture
def thread(library):
    return library.create("Deductions").id


def test_a_thread_is_moved_in_and_out(library, project, thread):
    assert library.membership.of(thread) is None
    library.membership.move(thread, project)
    assert library.membership.of(thread) == project
    assert [each.id for each in library.membership.threads(project.id)] == [thread]
    library.membership.move(thread, None)
    assert library.membership.of(thread) is None
    assert library.membership.threads(project.id) == []
    assert "project" not in library.thread(thread).metadata


def test_the_link_is_there_when_the_library_is_opened_anew(
    library, store, clock, projects, project, thread
):
    library.membership.move(thread, project)
    again = ThreadLibrary(store, clock_ms=clock, new_id=lambda: "x", projects=projects)
    assert again.membership.of(thread) == project


def test_moving_keeps_the_place_in_the_list_and_all_else(library, project, thread):
    library.rename(thread, "Renamed")
    before = library.thread(thread)
    library.membership.move(thread, project)
    after = library.thread(thread)
    assert (after.updated, after.title) == (before.updated, "Renamed")
    assert {**before.metadata, "project": {"id": project.id}} == after.metadata


def test_a_move_is_an_act_that_can_be_undone(library, project, thread):
    library.membership.move(thread, project)
    library.membership.move(thread, None)
    out, into = library.past.changes(thread)[:2]
    assert out.what == "Moved out of its project"
    assert into.what == "Moved into the project “Tax”"
    library.past.undo(thread, out.id)
    assert library.membership.of(thread) == project


def test_moving_to_where_it_is_writes_nothing(library, project, thread):
    library.membership.move(thread, None)
    library.membership.move(thread, project)
    count = len(library.past.changes(thread))
    library.membership.move(thread, project)
    assert len(library.past.changes(thread)) == count


def test_a_thread_begun_in_a_project_and_its_forks_are_in_it(library, project):
    thread = library.create("Begun here", project_id=project.id).id
    question = library.ask(thread, "Why?")
    fork = library.acts.fork(thread, question.id)
    assert {each.id for each in library.membership.threads(project.id)} == {thread, fork.id}


def test_instructions_of_the_project_come_before_the_threads_own(library, store, project):
    thread = library.create("Begun here", project_id=project.id)
    assert library.instructions(thread.id) == project.instructions
    own = thread.with_fields(id="own", assistants=[{"instructions": "Be brief."}])
    store.create_thread(own)
    assert library.instructions("own") == f"{project.instructions}\n\nBe brief."
    library.membership.move("own", None)
    assert library.instructions("own") == "Be brief."


def test_a_link_that_leads_nowhere_is_no_link(library, projects, project, thread):
    library.membership.move(thread, project)
    projects.delete(project.id)
    assert library.membership.of(thread) is None
    assert library.instructions(thread) == ""
    assert library.membership.disband(project.id) == 1
    assert "project" not in library.thread(thread).metadata


def test_a_damaged_project_takes_no_thread_with_it(library, tmp_path, project, thread):
    library.membership.move(thread, project)
    (tmp_path / "data" / "projects" / project.id / "project.json").write_text("{")
    assert library.membership.of(thread) is None
    assert [each.id for each in library.membership.threads(project.id)] == [thread]


def test_a_thread_that_is_not_there_cannot_be_moved(library, project):
    for thread in ("nobody", "../x"):
        with pytest.raises(NotFound):
            library.membership.move(thread, project)
        with pytest.raises(NotFound):
            library.membership.of(thread)


def test_without_projects_no_thread_is_in_one(store, clock, project, library, thread):
    library.membership.move(thread, project)
    alone = ThreadLibrary(store, clock_ms=clock, new_id=lambda: "x")
    assert alone.membership.of(thread) is None


class TestDamaged:
    @pytest.fixture
    def store(self, tmp_path, clock):
        store = JsonlThreadStore(tmp_path / "data", clock)
        yield store
        store.close()

    def test_damaged_fields_are_never_written_over(self, library, tmp_path, project):
        folder = tmp_path / "data" / "threads" / "torn"
        folder.mkdir(parents=True)
        (folder / "thread.json").write_text("{torn")
        (folder / "messages.jsonl").write_text("")
        with pytest.raises(Damaged):
            library.membership.move("torn", project)
        assert (folder / "thread.json").read_text() == "{torn"
