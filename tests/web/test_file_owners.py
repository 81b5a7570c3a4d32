"""Whose files a page shows, by the id in its address."""

import pytest

from webapp.errors import NotFound
from webapp.web.file_owners import owner_of


def test_a_thread_with_the_project_whose_files_it_searches_too(app, library, projects):
    project = projects.make("Tax")
    thread = library.create("Deductions", project_id=project.id)
    with app.test_request_context("/"):
        owner = owner_of({"thread_id": thread.id})
        assert owner.searched == (owner.scope, owner_of({"project_id": project.id}).scope)
    assert (owner.title, owner.is_project, owner.project) == ("Deductions", False, project)
    assert (owner.at, owner.home) == (f"/threads/{thread.id}/files", f"/threads/{thread.id}")


def test_a_project_shares_its_own(app, projects):
    project = projects.make("Tax")
    with app.test_request_context("/"):
        owner = owner_of({"project_id": project.id})
        assert owner.searched == (owner.scope,)
    assert (owner.title, owner.is_project, owner.thread) == ("Tax", True, None)
    assert (owner.at, owner.home) == (f"/projects/{project.id}/files", f"/projects/{project.id}")


def test_who_is_not_there_owns_nothing(app):
    with app.test_request_context("/"):
        for whose in ({"thread_id": "nobody"}, {"project_id": "nobody"}):
            with pytest.raises(NotFound):
                owner_of(whose)


def test_who_may_read_only_the_thread_searches_no_files_of_its_project(house, services):
    services.projects.share(house.project, {})
    services.library.membership.move(house.thread, services.projects.project(house.project))
    for who, searched in (("owner", 2), ("reader", 1)):
        with house.visiting(who):
            assert len(owner_of({"thread_id": house.thread}).searched) == searched
