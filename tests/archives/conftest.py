"""What the person of these tests has."""

import pytest

from tests.archives.lives import lived, put_file
from webapp.archives.everything import everything
from webapp.archives.stock import Stock, made_assistants
from webapp.documents.scope import project_scope, thread_scope
from webapp.threads.assistant_files import save


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def owned(store, projects, data):
    """A thread with a file, in a project with a file; the id of the project."""
    project = projects.make("Flat: 1", "Be exact.", owner="ann").id
    projects.share(project, {"bob": "read"})
    put_file(project_scope(data, project), name="house rules.txt")
    put_file(thread_scope(data, "lived"))
    store.create_thread(*lived(owner="ann", shares={"bob": "read"}, project={"id": project}))
    store.create_thread(*lived("other"))
    made = {"id": "tutor", "name": "Tutor", "instructions": "Ask back.", "api_key": "sk-1"}
    save(data / "assistants/tutor", made)
    return project


@pytest.fixture
def stock(library, projects, data, owned):
    assistants, unread = made_assistants(data)
    return Stock(library.threads(), library.acts.whole, data, projects.all(), assistants, unread)


@pytest.fixture
def taken(stock):
    """The bytes of a zip of everything."""

    def take(form="json", *, with_files=True):
        heard = []
        made = everything(stock, form, with_files=with_files, heard=heard.append)
        return b"".join(made)

    return take
