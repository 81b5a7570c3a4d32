"""What requests are about: whose a thing is, and with whom it is shared."""

import pytest

from webapp.errors import NotFound
from webapp.people.permission import Thing
from webapp.threads.projects import DamagedProject
from webapp.threads.store import DamagedThread, TrashedThread
from webapp.web.things import of_project, of_thread, of_trashed, thing_at


def test_a_thread_is_its_owners_and_within_its_project(app, house):
    with app.test_request_context():
        found = of_thread(house.library.thread(house.thread))
        assert (found.owner, dict(found.shares)) == (
            house.ids["owner"],
            {house.ids["reader"]: "read", house.ids["writer"]: "write"},
        )
        assert of_thread(house.library.create("x", owner="somebody gone")).owner == ""


def test_what_is_damaged_is_the_owners_of_the_house(app, house):
    with app.test_request_context():
        assert of_thread(DamagedThread("x", "torn")) == Thing("thread")
        assert of_project(DamagedProject("x", "torn")) == Thing("project")
        assert of_trashed(TrashedThread("x", "", 0, "somebody gone")) == Thing("thread")


@pytest.mark.parametrize("whose", ["thread", "project", "trashed"])
def test_what_is_not_there_is_not_found(app, house, whose):
    with app.test_request_context(), pytest.raises(NotFound):
        thing_at(whose, "nothing", "nothing")
