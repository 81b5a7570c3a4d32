"""Sharing a thread."""

import pytest

from webapp.errors import Damaged
from webapp.threads.ownership import owner_in, shares_in


def test_a_thread_is_shared_with_those_named_and_nobody_else(library):
    thread = library.create("Tides", owner="ada")
    library.sharing.share(thread.id, {"ben": "read"})
    library.sharing.share(thread.id, {"all": "write"})
    found = library.thread(thread.id).metadata
    assert (owner_in(found), shares_in(found)) == ("ada", {"all": "write"})


def test_it_is_no_act_that_a_writer_could_take_back(library):
    thread = library.create("Tides")
    library.rename(thread.id, "Ebb")
    library.sharing.share(thread.id, {"all": "read"})
    assert [each.what for each in library.past.changes(thread.id)] == ["Renamed to “Ebb”"]
    library.sharing.share(thread.id, {})
    assert shares_in(library.thread(thread.id).metadata) == {}


def test_a_fork_is_its_makers_private_and_in_the_project_only_if_wanted(library, projects):
    project = projects.make("Sea", owner="ada")
    thread = library.create("Tides", project_id=project.id, owner="ada")
    library.sharing.share(thread.id, {"all": "write"})
    question = library.ask(thread.id, "Why?")
    fork = library.acts.fork(thread.id, question.id, owner="ben", in_project=False)
    assert owner_in(fork.metadata) == "ben"
    assert shares_in(fork.metadata) == {}
    assert library.membership.of(fork.id) is None
    assert library.membership.of(library.acts.fork(thread.id, question.id).id) == project


def test_a_project_is_shared_and_keeps_its_words(projects):
    project = projects.make("Sea", "Be brief.", owner="ada")
    projects.share(project.id, {"ben": "write"})
    changed = projects.change(project.id, "Ocean", "Be brief.")
    assert (owner_in(changed.data), shares_in(changed.data)) == ("ada", {"ben": "write"})


def test_a_damaged_thread_is_not_shared(library, tmp_path):
    thread = library.create("Tides")
    library.view(thread.id)
    (tmp_path / "data" / "threads" / thread.id / "thread.json").write_text("{")
    library._desk.open_threads.close_idle()
    with pytest.raises(Damaged):
        library.sharing.share(thread.id, {"all": "read"})
