"""A conversation with two files that can be found, and another thread's that cannot."""

import pytest

from tests.documents.taking_in import CONTRACT, GARDEN, SECONDS, add, open_documents
from webapp.documents.retrieval import Search
from webapp.documents.tools.tool import Reach

BOOK = "\n\n".join(f"# Chapter {n}\n\n" + f"word{n} " * 60 for n in range(40))


@pytest.fixture(scope="package")
def documents(tmp_path_factory):
    """Read by every test here, changed by none."""
    documents = open_documents(tmp_path_factory.mktemp("tools") / "data")
    for thread, name, content in (
        ("mine", "contract.txt", CONTRACT),
        ("mine", "garden.txt", GARDEN),
        ("reading", "book.md", BOOK),
        ("other", "secret.txt", "The secret notice is ninety days of silence.\n"),
    ):
        scope = documents.thread(thread)
        add(documents, scope, name, content)
        assert all(each.is_ready for each in documents.wait_over(scope, SECONDS).files)
    yield documents
    documents.close()


@pytest.fixture
def reach(documents):
    return Reach(documents, (documents.thread("mine"),), Search(limit=3, threshold=0.2))


@pytest.fixture
def reading(documents):
    return Reach(documents, (documents.thread("reading"),))


@pytest.fixture
def ids(documents):
    states = [*documents.status(documents.thread("mine"))]
    for other in ("reading", "other"):
        states += documents.status(documents.thread(other))
    return {state.name: state.id for state in states}
