"""What a project gives to a thread, and when no more; and whose threads are whose."""

from functools import partial

import pytest

from webapp.generation.recall import Recall
from webapp.web.reach import kin, reaches


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


@pytest.fixture
def kin_of(house, projects):
    return lambda thread: kin(house.household, projects, thread)


def test_threads_of_one_person_are_kin_and_those_of_others_are_not(house, library, kin_of):
    mine, too = (library.create("Mine", owner=house.ids["reader"]) for _ in range(2))
    is_kin = kin_of(mine)
    assert is_kin(too) and not is_kin(library.thread(house.thread))
    assert not is_kin(library.create("Of nobody"))


def test_nobodys_threads_are_the_owners(house, library, kin_of):
    own = library.create("Mine", owner=house.ids["owner"])
    others = (library.create("x", owner=owner) for owner in ("", "somebody-removed"))
    assert all(map(kin_of(own), others))
    assert not kin_of(own)(library.create("x", owner=house.ids["other"]))


@pytest.mark.parametrize("shares", [{"all": "read"}, {"nobody-yet": "write"}])
def test_a_thread_that_others_read_has_no_kin(house, library, kin_of, shares):
    mine = library.create("Mine", owner=house.ids["reader"])
    assert kin_of(library.sharing.share(mine.id, shares)) is None
    house.household.shared = False
    assert kin_of(library.thread(mine.id)) is None
    assert kin_of(library.sharing.share(mine.id, {})) is not None


def test_nor_has_one_in_a_project_that_others_read(house, library, projects, kin_of):
    project = projects.make("Taxes", owner=house.ids["reader"])
    mine = library.create("Mine", owner=house.ids["reader"])
    library.membership.move(mine.id, project)
    assert kin_of(library.thread(mine.id)) is not None
    projects.share(project.id, {house.ids["other"]: "read"})
    assert kin_of(library.thread(mine.id)) is None


def test_what_cannot_be_known_has_no_kin(house, library, projects, kin_of, settings):
    project = projects.make("Taxes", owner=house.ids["reader"])
    mine = library.create("Mine", owner=house.ids["reader"])
    library.membership.move(mine.id, project)
    (settings.data / "projects" / project.id / "project.json").write_text("{")
    assert kin_of(library.thread(mine.id)) is None
    library.membership.move(mine.id, None)
    assert kin_of(library.thread(mine.id)) is not None
    (settings.data / "people" / "people.json").write_text("{")
    assert kin_of(library.thread(mine.id)) is None


def test_what_is_recalled_is_ones_own_and_of_nobody_else(house, library, projects, services):
    recall = Recall(services.finder, library, on=True)
    recall.kin = partial(kin, house.household, projects)
    asking = library.create("Asking", owner=house.ids["reader"]).id
    for who in ("reader", "other", "owner"):
        thread = library.create(f"Of {who}", owner=house.ids[who]).id
        library.ask(thread, f"The zanzibar of the {who} is far away.")
    library.ask(house.thread, "The zanzibar of a shared thread.")
    services.finder.indexer.catch_up()
    assert services.finder.indexer.wait()
    found = recall.within(asking).call({"query": "where is zanzibar"})
    assert [each.file for each in found.excerpts] == ["Of reader"]
    assert "owner" not in found.text and "shared" not in found.text
    assert recall.within(house.thread) is None
    library.sharing.share(asking, {house.ids["other"]: "read"})
    assert recall.within(asking) is None
