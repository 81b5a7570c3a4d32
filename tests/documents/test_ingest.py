"""Each stage can be cancelled, fails alone, and is tried again from where it stopped."""

import logging

import pytest

from tests.documents.searching import WordModel
from tests.documents.taking_in import (
    CONTRACT,
    GARDEN,
    SECONDS,
    HeldModel,
    add,
    found,
    open_documents,
    stages,
    until,
    until_stage,
)
from tests.threads.disk_faults import no_file_grows_beyond
from webapp.documents import files
from webapp.documents.service import DocumentOptions
from webapp.errors import Conflict, ModelFileMissing, NotFound, Unreadable

LONG = "\n".join(f"Line {number} is about thing {number * 7}." for number in range(8000))


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


def held_at_embedding(documents, scope, model, content=CONTRACT):
    model.gate.clear()
    file_id = add(documents, scope, "contract.txt", content).state.id
    until_stage(documents, scope, file_id, "embedding")
    assert model.reached.wait(SECONDS)
    return file_id


def test_the_stages_come_in_order_and_say_how_far_they_are(documents, scope):
    seen = []
    add(documents, scope, "contract.txt", CONTRACT * 30)

    def note(files):
        seen.append((files[0].stage, files[0].done, files[0].total))
        return files[0].is_over

    until(documents, scope, note)
    order = ["waiting", "reading", "waiting", "cutting", "embedding", "ready"]
    places = [order.index(stage) for stage, _, _ in seen if stage != "waiting"]
    assert places == sorted(places)
    assert seen[-1][0] == "ready"
    total = documents.status(scope)[0].facts.chunks
    assert {each[2] for each in seen if each[0] == "embedding"} <= {total}


def test_cancelled_while_it_is_read_it_is_read_when_tried_again(documents, scope, tmp_path):
    file_id = add(documents, scope, "long.txt", LONG).state.id
    until_stage(documents, scope, file_id, "reading")
    documents.acts.cancel(scope, file_id)
    state = documents.state(scope, file_id)
    assert (state.stage, state.problem.what) == ("stopped", "This was cancelled.")
    with pytest.raises(Conflict):
        documents.acts.cancel(scope, file_id)
    assert documents._ingest.wait(SECONDS)
    assert documents.state(scope, file_id) == state
    assert files.load(scope) == [state.facts]
    documents.acts.retry(scope, file_id)
    until_stage(documents, scope, file_id, "embedding", "ready")
    documents.acts.cancel(scope, file_id)


def test_cancelled_in_line_it_is_not_begun_and_a_second_try_takes_its_place(
    documents, scope, model
):
    held_at_embedding(documents, scope, model)
    waiting = add(documents, scope, "garden.txt", GARDEN).state.id
    until_stage(documents, scope, waiting, "waiting")
    until(documents, scope, lambda _: files.has_text(scope, waiting))
    documents.acts.cancel(scope, waiting)
    documents.acts.retry(scope, waiting)
    documents.acts.cancel(scope, waiting)
    documents.acts.retry(scope, waiting)
    model.gate.set()
    assert stages(documents, scope) == {"contract.txt": "ready", "garden.txt": "ready"}
    assert model.passages == 2


def test_cancelled_while_it_is_embedded_it_goes_on_from_there(documents, scope, model):
    file_id = held_at_embedding(documents, scope, model, LONG[:9000])
    documents.acts.cancel(scope, file_id)
    assert documents.state(scope, file_id).stage == "stopped"
    model.gate.set()
    assert documents._ingest.wait(SECONDS)
    done = model.passages
    assert documents.state(scope, file_id).stage == "stopped"
    assert documents._tables.facts(scope.table) is None
    documents.acts.retry(scope, file_id)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert done > 0
    assert model.passages == documents.state(scope, file_id).facts.chunks


def test_cancelled_while_it_is_cut_nothing_of_it_is_embedded(documents, scope, model):
    model.gate.clear()
    file_id = add(documents, scope, "long.txt", LONG * 8).state.id
    until_stage(documents, scope, file_id, "cutting", "embedding")
    documents.acts.cancel(scope, file_id)
    model.gate.set()
    assert documents._ingest.wait(SECONDS)
    assert documents.state(scope, file_id).stage == "stopped"
    assert model.passages <= 8
    assert documents._tables.facts(scope.table) is None


def test_deleted_while_it_is_embedded_it_never_appears(documents, scope, model):
    file_id = held_at_embedding(documents, scope, model)
    documents.acts.remove(scope, file_id)
    assert documents.status(scope) == ()
    model.gate.set()
    assert documents.wait_idle(SECONDS)
    assert documents._tables.facts(scope.table) is None
    assert list(scope.folder.iterdir()) == []
    with pytest.raises(NotFound):
        documents.state(scope, file_id)


def test_a_model_that_fails_is_said_with_the_file_and_tried_again_when_asked(tmp_path):
    model = WordModel()
    model.broken = True
    documents = open_documents(tmp_path, model)
    scope = documents.thread("t1")
    file_id = add(documents, scope, "contract.txt", CONTRACT).state.id
    assert stages(documents, scope) == {"contract.txt": "stopped"}
    assert documents.state(scope, file_id).problem.code == "engine"
    model.broken = False
    documents.acts.retry(scope, file_id)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    documents.close()


def test_a_missing_model_file_is_asked_for_once_and_named(tmp_path):
    class Missing(WordModel):
        def embed(self, texts, kind):
            super().embed(texts, kind)
            raise ModelFileMissing("There is no model file.", do="Fetch it.")

    model = Missing()
    documents = open_documents(tmp_path, model)
    scope = documents.thread("t1")
    add(documents, scope, "contract.txt", CONTRACT * 40)
    assert stages(documents, scope) == {"contract.txt": "stopped"}
    [state] = documents.status(scope)
    assert str(state.problem) == "There is no model file. Fetch it."
    assert len(model.asked) == 1
    documents.close()


def test_a_fault_of_ours_ends_one_file_and_is_logged(tmp_path, caplog):
    class Faulty(WordModel):
        def embed(self, texts, kind):
            if "Either" in texts[0]:
                raise KeyError("a fault")
            return super().embed(texts, kind)

    documents = open_documents(tmp_path, Faulty())
    scope = documents.thread("t1")
    with caplog.at_level(logging.ERROR):
        add(documents, scope, "contract.txt", CONTRACT)
        add(documents, scope, "garden.txt", GARDEN)
        assert stages(documents, scope) == {"contract.txt": "stopped", "garden.txt": "ready"}
    assert "KeyError" in caplog.text
    assert "the log has the details" in documents.status(scope)[0].problem.what
    documents.close()


def test_a_full_disk_is_said_and_the_file_goes_on_when_there_is_room(documents, scope, model):
    file_id = held_at_embedding(documents, scope, model)
    with no_file_grows_beyond(10):
        model.gate.set()
        assert stages(documents, scope) == {"contract.txt": "stopped"}
    assert "the disk is full" in documents.state(scope, file_id).problem.what
    assert found(documents, scope, "notice") == []
    documents.acts.retry(scope, file_id)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert found(documents, scope, "ninety days of notice to end this contract") == ["contract.txt"]


def test_a_text_that_was_damaged_is_read_again_from_the_file(documents, scope, model):
    file_id = held_at_embedding(documents, scope, model)
    documents.acts.cancel(scope, file_id)
    (scope.folder / file_id / files.TEXT).write_text('{"kind": "text", "te')
    model.gate.set()
    documents.acts.retry(scope, file_id)
    assert stages(documents, scope) == {"contract.txt": "ready"}


def test_files_of_an_earlier_model_are_embedded_again_before_one_is_added(tmp_path):
    documents = open_documents(tmp_path, WordModel())
    scope = documents.thread("t1")
    add(documents, scope, "garden.txt", GARDEN)
    assert stages(documents, scope) == {"garden.txt": "ready"}
    documents.close()
    documents = open_documents(tmp_path, WordModel(salt="new", dimension=32), "new words")
    add(documents, scope, "contract.txt", CONTRACT)
    assert stages(documents, scope) == {"garden.txt": "ready", "contract.txt": "ready"}
    assert documents._tables.facts(scope.table).dimension == 32
    assert found(documents, scope, "water the tomatoes in the morning") == ["garden.txt"]
    documents.close()


def test_a_file_with_the_same_text_is_kept_and_says_so(documents, scope):
    add(documents, scope, "contract.txt", CONTRACT)
    add(documents, scope, "contract.md", "\n\n" + CONTRACT)
    stages(documents, scope)
    notes = {state.name: state.facts.notes for state in documents.status(scope)}
    assert notes["contract.txt"] == ()
    assert notes["contract.md"][-1] == "Its text is the same as that of “contract.txt”."


def test_what_a_file_says_in_its_details_is_kept(documents, scope):
    add(documents, scope, "contract.txt", CONTRACT)
    stages(documents, scope)
    [state] = documents.status(scope)
    assert state.facts.characters == len(documents.text(scope, state.id).text)
    assert dict(state.facts.details)
    assert files.load(scope) == [state.facts]


def test_the_limits_of_size_hold_for_the_reading_program_too(tmp_path):
    documents = open_documents(tmp_path, options=DocumentOptions(file_bytes=50))
    scope = documents.thread("t1")
    with pytest.raises(Unreadable, match="the limit is"):
        add(documents, scope, "contract.txt", CONTRACT)
    assert documents._ingest._limits.file_bytes == 50
    documents.close()


def test_the_embedder_of_nothing_is_never_asked_for_a_rejected_file(documents, scope, model):
    add(documents, scope, "empty.txt", " \n ")
    assert stages(documents, scope) == {"empty.txt": "rejected"}
    assert model.asked == []
