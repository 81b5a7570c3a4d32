"""Cancel, retry, read again, delete, choose: each in each state."""

import pytest

from tests.documents.taking_in import (
    CONTRACT,
    GARDEN,
    SECONDS,
    HeldModel,
    add,
    found,
    open_documents,
    stages,
    until_stage,
)
from webapp.documents import files
from webapp.documents.tables import PassageTables
from webapp.errors import BadInput, Conflict, NotFound


@pytest.fixture
def model():
    return HeldModel()


@pytest.fixture
def documents(tmp_path, model):
    documents = open_documents(tmp_path, model)
    yield documents
    model.gate.set()
    documents.close()


@pytest.fixture
def scope(documents):
    return documents.thread("t1")


@pytest.fixture
def ready(documents, scope):
    file_id = add(documents, scope, "contract.txt", CONTRACT).state.id
    assert stages(documents, scope) == {"contract.txt": "ready"}
    return file_id


def test_what_is_ready_needs_no_other_try_and_cannot_be_cancelled(documents, scope, ready):
    for act in (documents.acts.retry, documents.acts.cancel):
        with pytest.raises(Conflict):
            act(scope, ready)
    assert documents.state(scope, ready).is_ready


def test_a_ready_file_is_read_again_and_found_again(documents, scope, ready, model):
    documents.acts.read_again(scope, ready)
    with pytest.raises(Conflict):
        documents.acts.retry(scope, ready)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert found(documents, scope, "ninety days of notice") == ["contract.txt"]
    assert model.passages == 1  # the cache had its vector


def test_a_rejected_file_is_read_again_when_it_is_tried_again(documents, scope):
    file_id = add(documents, scope, "letter.txt", b"\x00\x01\x02\x03" * 50).state.id
    assert stages(documents, scope) == {"letter.txt": "rejected"}
    (scope.folder / file_id / files.ORIGINAL).write_text(GARDEN)
    documents.acts.retry(scope, file_id)
    assert stages(documents, scope) == {"letter.txt": "ready"}


def test_a_deleted_file_stays_deleted_through_every_open_handle(
    documents, scope, ready, tmp_path, background, model
):
    other = add(documents, scope, "garden.txt", GARDEN).state.id
    stages(documents, scope)
    tables = PassageTables(tmp_path / "lance", background)
    assert len(tables.between(scope.table, ready, 0, 9)) == 1
    documents.acts.remove(scope, ready)
    assert found(documents, scope, "ninety days of notice to end this contract") == []
    assert tables.between(scope.table, ready, 0, 9) == []
    assert [path.name for path in scope.folder.iterdir()] == [other]
    for look in (documents.state, documents.text, documents.original, documents.acts.remove):
        with pytest.raises(NotFound):
            look(scope, ready)
    before = model.passages
    add(documents, scope, "contract.txt", CONTRACT)
    stages(documents, scope)
    assert model.passages == before + 1  # nor was its vector kept


def test_vectors_that_another_file_shares_are_kept(documents, scope, ready, model):
    add(documents, scope, "contract.md", "\n" + CONTRACT)
    stages(documents, scope)
    documents.acts.remove(scope, ready)
    add(documents, scope, "again.txt", CONTRACT + "\n")
    stages(documents, scope)
    assert model.passages == 1


def test_a_damaged_file_is_read_again_from_what_is_there(documents, scope, ready, model, tmp_path):
    documents.close()
    (scope.folder / ready / files.ABOUT).write_text("{")
    documents = open_documents(tmp_path, model)
    assert stages(documents, scope) == {"file": "damaged"}
    with pytest.raises(Conflict):
        documents.acts.choose_use(scope, ready, "inline")
    with pytest.raises(Conflict):
        documents.acts.cancel(scope, ready)
    documents.acts.retry(scope, ready)
    assert stages(documents, scope) == {"file": "ready"}
    assert found(documents, scope, "ninety days of notice") == ["file"]
    documents.close()


def test_a_damaged_file_without_its_content_can_only_be_deleted(
    documents, scope, ready, model, tmp_path
):
    documents.close()
    (scope.folder / ready / files.ABOUT).unlink()
    (scope.folder / ready / files.ORIGINAL).unlink()
    documents = open_documents(tmp_path, model)
    with pytest.raises(NotFound):
        documents.acts.retry(scope, ready)
    assert stages(documents, scope) == {"file": "damaged"}
    documents.acts.remove(scope, ready)
    assert documents.status(scope) == ()
    assert list(scope.folder.iterdir()) == []
    documents.close()


def test_a_file_whose_folder_is_gone_can_be_taken_off_the_list(documents, scope, ready):
    (scope.folder / ready).rename(scope.folder.parent / "aside")
    with pytest.raises(NotFound):
        documents.original(scope, ready)
    documents.acts.remove(scope, ready)
    assert documents.status(scope) == ()


def test_a_choice_for_a_file_is_kept_while_it_is_worked_on(documents, scope, model):
    model.gate.clear()
    file_id = add(documents, scope, "contract.txt", CONTRACT).state.id
    until_stage(documents, scope, file_id, "embedding")
    documents.acts.choose_use(scope, file_id, "inline")
    model.gate.set()
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert documents._ingest.wait(SECONDS)
    assert [facts.use for facts in files.load(scope)] == ["inline"]
    documents.acts.choose_use(scope, file_id, "")
    assert documents.state(scope, file_id).facts.use is None
    with pytest.raises(BadInput):
        documents.acts.choose_use(scope, file_id, "shred")
