"""Whose files a thread's questions are looked for in."""

import pytest

from tests.documents.searching import WordModel
from tests.documents.taking_in import open_documents
from webapp.errors import NotFound
from webapp.generation.reachable import scopes_of


@pytest.fixture
def documents(tmp_path):
    documents = open_documents(tmp_path / "data", WordModel())
    yield documents
    documents.close()


def test_its_own_and_those_of_its_project(documents, library, projects):
    thread = library.create("A title").id
    assert scopes_of(documents, library, thread) == ((documents.thread(thread),), None)
    project = projects.make("Tax")
    library.membership.move(thread, project)
    scopes, found = scopes_of(documents, library, thread)
    assert scopes == (documents.thread(thread), documents.project(project.id))
    assert found == project


def test_a_thread_that_is_not_there_has_none(documents, library):
    with pytest.raises(NotFound):
        scopes_of(documents, library, "nobody")
