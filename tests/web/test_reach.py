"""What a project gives to a thread, and when no more."""

import pytest

from webapp.web.reach import reaches


@pytest.fixture
def parts(house, library, projects):
    """A project of the owner's that the reader may read, and the reader's thread in it."""
    project = projects.make("Taxes", owner=house.ids["owner"])
    projects.share(project.id, {house.ids["reader"]: "read"})
    thread = library.create("Mine", owner=house.ids["reader"])
    library.membership.move(thread.id, project)
    library.membership.reaches = lambda thread, project: reaches(house.household, thread, project)
    return library, projects, project, thread


def test_a_project_serves_a_thread_as_long_as_it_is_shared_with_its_owner(parts):
    library, projects, project, thread = parts
    assert library.membership.of(thread.id).id == project.id
    projects.share(project.id, {"all": "read"})
    assert library.membership.of(thread.id).id == project.id
    projects.share(project.id, {})
    assert library.membership.of(thread.id) is None


def test_it_serves_threads_of_its_own_owner_and_those_of_nobody(parts, house):
    library, projects, project, _ = parts
    projects.share(project.id, {})
    for owner in ("", house.ids["owner"], "somebody-removed"):
        mine = library.create("Mine", owner=owner)
        library.membership.move(mine.id, project)
        assert library.membership.of(mine.id).id == project.id


def test_a_roll_that_cannot_be_read_lets_nothing_out(parts, settings):
    library, _, _, thread = parts
    (settings.data / "people" / "people.json").write_text("{")
    assert library.membership.of(thread.id) is None


def test_alone_every_project_serves(parts, house):
    library, projects, project, thread = parts
    projects.share(project.id, {})
    house.household.shared = False
    assert library.membership.of(thread.id).id == project.id
