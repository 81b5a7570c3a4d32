from pathlib import Path

import pytest

from webapp.documents.scope import (
    gone,
    owner,
    project_scope,
    scope_of_table,
    scopes_with_files,
    thread_scope,
)
from webapp.errors import NotFound


def test_files_lie_with_their_thread_or_project():
    thread, project = thread_scope(Path("d"), "a-1"), project_scope(Path("d"), "a-1")
    assert (thread.folder, thread.table) == (Path("d/threads/a-1/files"), "attachments_a-1")
    assert (project.folder, project.table) == (Path("d/projects/a-1/files"), "project_a-1")


@pytest.mark.parametrize("make", [thread_scope, project_scope])
@pytest.mark.parametrize("id", ["", ".", "..", "a/b", "a\\b", "a\n", "\ud800", "x" * 65])
def test_what_is_no_id_makes_no_path(make, id):
    with pytest.raises(NotFound):
        make(Path("d"), id)


@pytest.mark.parametrize("make", [thread_scope, project_scope])
def test_a_table_leads_back_to_whose_it_is(make):
    scope = make(Path("d"), "a_1")
    assert scope_of_table(Path("d"), scope.table) == scope


@pytest.mark.parametrize("table", ["", "trial", "attachments_", "attachments_a.b", "project_"])
def test_other_tables_are_nobodys(table):
    assert scope_of_table(Path("d"), table) is None


def test_those_with_a_folder_for_files_are_found(tmp_path):
    assert list(scopes_with_files(tmp_path)) == []
    for name in ("threads/t1/files", "threads/t2", "threads/no.id/files", "projects/p1/files"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "trash/1.t3/files").mkdir(parents=True)
    (tmp_path / "threads/file").write_text("")
    assert list(scopes_with_files(tmp_path)) == [
        thread_scope(tmp_path, "t1"),
        project_scope(tmp_path, "p1"),
    ]


def test_vectors_of_files_that_are_nowhere_belong_to_nobody(tmp_path):
    here, there = thread_scope(tmp_path, "t1"), project_scope(tmp_path, "t2")
    for path in (here.folder / "f", there.folder / "f", tmp_path / "trash/12.t2/files/old"):
        path.mkdir(parents=True)
    (tmp_path / "trash/.going.13.t4/files/f").mkdir(parents=True)
    (tmp_path / "trash/notes.txt").write_text("")
    trashed = thread_scope(tmp_path, "t2").table
    kept = [owner(here.table, "f"), owner(there.table, "f"), owner(trashed, "old")]
    lost = [
        owner(here.table, "g"),
        owner(there.table, "old"),  # a project that has the name of a thread in the trash
        owner(thread_scope(tmp_path, "t3").table, "f"),
        owner(thread_scope(tmp_path, "t4").table, "f"),
        owner(here.table, ".."),
        "trial/f",
        "",
    ]
    assert gone(tmp_path, [*kept, *lost]) == lost
