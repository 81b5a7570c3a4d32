"""Projects on a real disk: made, changed, listed and deleted, whatever stands in their files."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.threads.disk_faults import no_file_grows_beyond
from webapp.chat.messages import Thread
from webapp.errors import BadInput, Damaged, NotFound, StorageFailed
from webapp.threads.projects import (
    ABOUT,
    ARRIVING,
    LONGEST_INSTRUCTIONS,
    LONGEST_PROJECT_NAME,
    DamagedProject,
    Projects,
    checked_instructions,
    checked_project_name,
    project_id_of,
)
from webapp.threads.store import DamagedThread


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "projects"


@pytest.fixture
def projects(tmp_path, clock, new_id):
    return Projects(tmp_path / "data", clock_ms=clock, new_id=new_id)


def test_a_project_is_kept_with_its_name_and_instructions(projects, tmp_path, clock):
    made = projects.make("  Tax \n 2026 ", "Be brief.\r\nCite.\n")
    assert (made.name, made.instructions) == ("Tax 2026", "Be brief.\nCite.")
    again = Projects(tmp_path / "data", clock_ms=clock, new_id=lambda: "x")
    assert again.project(made.id) == made
    assert again.all() == [made]


def test_before_the_first_one_there_is_nothing_on_the_disk(projects, folder):
    assert projects.all() == []
    assert not folder.exists()


def test_they_are_listed_by_name(projects):
    for name in ("beta", "Alpha", "gamma"):
        projects.make(name)
    assert [each.name for each in projects.all()] == ["Alpha", "beta", "gamma"]


def test_a_change_keeps_what_we_do_not_know(projects, folder):
    made = projects.make("Tax")
    path = folder / made.id / ABOUT
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": "green", "n": 1.10}))
    changed = projects.change(made.id, "Taxes", "Be brief.")
    assert (changed.name, changed.instructions) == ("Taxes", "Be brief.")
    assert json.loads(path.read_text())["colour"] == "green"
    assert changed.data["created"] == made.data["created"] < changed.data["updated"]


def test_what_another_program_wrote_is_seen_at_once(projects, folder):
    made = projects.make("Tax")
    (folder / made.id / ABOUT).write_text(json.dumps({"id": "other", "name": 7, "x": [1]}))
    assert projects.project(made.id).id == made.id
    assert projects.project(made.id).name == "Untitled"
    assert projects.project(made.id).instructions == ""


@pytest.mark.parametrize("name", ["", " \n ", "\0", "x" * (LONGEST_PROJECT_NAME + 1)])
def test_a_name_that_is_none_makes_nothing(projects, folder, name):
    with pytest.raises(BadInput):
        projects.make(name)
    assert not folder.exists()


def test_instructions_have_a_limit(projects):
    made = projects.make("Tax", "x" * LONGEST_INSTRUCTIONS)
    with pytest.raises(BadInput, match="20,001"):
        projects.change(made.id, "Tax", "x" * (LONGEST_INSTRUCTIONS + 1))
    assert len(projects.project(made.id).instructions) == LONGEST_INSTRUCTIONS


@pytest.mark.parametrize("bad", ["", "{", "[1]", "null", "\udcff", "[" * 100_000])
def test_a_damaged_one_is_named_and_hides_no_other(projects, folder, bad):
    good, torn = projects.make("Good"), projects.make("Torn")
    (folder / torn.id / ABOUT).write_bytes(bad.encode("utf-8", "surrogateescape"))
    [first, second] = projects.all()
    assert first == good
    assert isinstance(second, DamagedProject)
    assert torn.id in second.problem and "save its name and instructions again" in second.problem
    with pytest.raises(Damaged):
        projects.project(torn.id)


def test_a_damaged_one_can_be_given_its_words_anew(projects, folder):
    made = projects.make("Torn")
    (folder / made.id / ABOUT).unlink()
    assert projects.change(made.id, "Mended", "").name == "Mended"
    assert projects.project(made.id).name == "Mended"


def test_stray_files_and_folders_are_no_projects(projects, folder):
    made = projects.make("Tax")
    (folder / ".DS_Store").write_text("x")
    (folder / "notes").write_text("x")
    (folder / "a b").mkdir()
    assert projects.all() == [made]
    for no_id in ("notes", "..", "", "a/b", "x" * 65, "nobody", "\0"):
        with pytest.raises(NotFound):
            projects.project(no_id)
        with pytest.raises(NotFound):
            projects.delete(no_id)
        with pytest.raises(NotFound):
            projects.change(no_id, "x", "")


def test_a_deleted_one_goes_with_its_folder(projects, folder):
    made, other = projects.make("Tax"), projects.make("Other")
    (folder / made.id / "files").mkdir()
    (folder / made.id / "files" / "original").write_text("x")
    projects.delete(made.id)
    assert projects.all() == [other]
    assert [each.name for each in folder.iterdir()] == [other.id]
    with pytest.raises(NotFound):
        projects.delete(made.id)


def test_what_a_crash_left_of_a_deleted_one_is_not_listed_and_goes_with_the_next(projects, folder):
    (folder / ".going.old" / "files").mkdir(parents=True)
    made = projects.make("Tax")
    assert projects.all() == [made]
    projects.delete(made.id)
    assert list(folder.iterdir()) == []


def test_a_full_disk_leaves_the_old_words(projects, folder):
    made = projects.make("Tax", "Old")
    with no_file_grows_beyond(0), pytest.raises(StorageFailed):
        projects.change(made.id, "Tax", "New")
    assert projects.project(made.id).instructions == "Old"
    with no_file_grows_beyond(0), pytest.raises(StorageFailed):
        projects.make("Second")
    assert [each.name for each in folder.iterdir()] == [made.id]


def test_a_folder_that_cannot_be_listed_is_told(projects, folder):
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("no folder")
    assert projects.all() == []
    with pytest.raises(StorageFailed):
        projects.make("Tax")


def test_two_at_once_lose_no_change(projects):
    made = projects.make("Tax")
    names = [f"Name {number}" for number in range(8)]
    workers = [
        threading.Thread(target=projects.change, args=(made.id, name, name)) for name in names
    ]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    last = projects.project(made.id)
    assert last.name == last.instructions and last.name in names


@given(st.text(max_size=60))
def test_any_words_can_be_kept(text):
    instructions = checked_instructions(text)
    assert checked_instructions(instructions) == instructions
    instructions.encode()
    try:
        name = checked_project_name(text)
    except BadInput:
        return
    assert checked_project_name(name) == name
    assert "\n" not in name


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ({"id": "p1"}, "p1"),
        ({"id": "p1", "name": "Tax"}, "p1"),
        ("p1", "p1"),
        ({"id": "../x"}, None),
        ({"id": 7}, None),
        ({}, None),
        (None, None),
        ([], None),
    ],
)
def test_the_link_of_a_thread_is_read_with_care(link, found):
    assert project_id_of(Thread({"id": "t", "metadata": {"project": link}})) == found


def test_a_thread_without_link_and_a_damaged_one_are_in_none():
    assert project_id_of(Thread({"id": "t"})) is None
    assert project_id_of(DamagedThread("t", "torn")) is None


def test_one_from_elsewhere_keeps_its_fields_and_gets_another_owner(projects):
    told = {"id": "there", "name": "N" * 500, "kept": 1, "owner": "ann", "shares": {"all": "read"}}
    projects.take_in("here", told, owner="bob")
    found = projects.project("here")
    assert (found.id, len(found.name), found.data["kept"]) == ("here", 120, 1)
    assert found.data["owner"] == "bob"
    assert "shares" not in found.data
    assert found.data[ARRIVING] is True
    projects.has_arrived("here")
    assert ARRIVING not in projects.project("here").data
    assert projects.project("here").data["kept"] == 1
    with pytest.raises(StorageFailed):
        projects.take_in("here", told)
