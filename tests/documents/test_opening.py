"""Files as they come into use: at a start, after a crash, out of the trash."""

import json
import shutil
import threading

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
    until_stage,
)
from webapp.documents import files
from webapp.errors import NotFound, StorageFailed

QUESTION = "ninety days of notice to end this contract"


@pytest.fixture
def opened():
    """Opens the documents of a data directory; all are closed in the end."""
    found = []

    def open_one(data, model=None, **choices):
        found.append(open_documents(data, model, **choices))
        return found[-1]

    yield open_one
    for documents in found:
        documents.close()


@pytest.fixture
def data(tmp_path, opened):
    """A data directory in which one file is ready, and nothing is running."""
    documents = opened(tmp_path)
    scope = documents.thread("t1")
    add(documents, scope, "contract.txt", CONTRACT)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert documents.wait_idle(SECONDS)
    documents.close()
    return tmp_path


def to_trash(documents, scope, data):
    with documents.leaving(scope):
        (data / "trash").mkdir(exist_ok=True)
        scope.folder.parent.rename(data / "trash/1.t1")


def from_trash(documents, scope, data):
    (data / "trash/1.t1").rename(scope.folder.parent)
    documents.returned(scope)


def test_what_was_ready_is_ready_after_a_restart_and_nothing_is_computed(data, opened):
    model = WordModel()
    documents = opened(data, model)
    documents.resume()
    scope = documents.thread("t1")
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert documents.wait_idle(SECONDS)
    assert model.asked == []
    assert found(documents, scope, QUESTION) == ["contract.txt"]


@pytest.mark.parametrize("by", ["resume", "a look"])
def test_what_was_interrupted_goes_on_by_itself(tmp_path, opened, by):
    model = HeldModel()
    documents = opened(tmp_path, model)
    scope = documents.thread("t1")
    model.gate.clear()
    file_id = add(documents, scope, "contract.txt", CONTRACT).state.id
    until_stage(documents, scope, file_id, "embedding")
    documents._board.cancel_all()
    model.gate.set()
    documents.close()
    documents = opened(tmp_path)
    if by == "resume":
        documents.resume()
    assert stages(documents, scope) == {"contract.txt": "ready"}


def test_interrupted_three_times_it_is_named_and_tried_when_asked(data, opened):
    [facts] = files.load(opened(data).thread("t1"))
    scope = opened(data).thread("t1")
    files.save(scope, facts.at("received", interruptions=2))
    documents = opened(data)
    documents.resume()
    [state] = documents.status(scope)
    assert (state.stage, state.problem.code) == ("stopped", "interrupted")
    assert "press retry" in str(state.problem).lower()
    documents.acts.retry(scope, state.id)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert files.load(scope)[0].interruptions == 0


def test_an_orderly_end_is_no_interruption(data, opened):
    scope = opened(data).thread("t1")
    [facts] = files.load(scope)
    shutil.rmtree(data / "lance")
    (data / "cache/vectors.sqlite3").unlink()
    files.save(scope, facts.at("read", interruptions=1))
    model = HeldModel()
    model.gate.clear()
    documents = opened(data, model)
    documents.resume()
    until_stage(documents, scope, facts.id, "embedding")
    assert files.load(scope)[0].interruptions == 2
    documents._board.cancel_all()
    model.gate.set()
    documents.close()
    assert files.load(scope)[0].stage == "read"


@pytest.mark.parametrize("code", ["engine", "disk"])
def test_what_stopped_for_a_reason_that_may_be_over_is_tried_at_the_next_start(
    tmp_path, opened, code
):
    model = WordModel()
    model.broken = True
    documents = opened(tmp_path, model)
    scope = documents.thread("t1")
    add(documents, scope, "contract.txt", CONTRACT)
    assert stages(documents, scope) == {"contract.txt": "stopped"}
    documents.close()
    [facts] = files.load(scope)
    files.save(scope, facts.at("stopped", problem=type(facts.problem)("It failed.", "", code)))
    documents = opened(tmp_path)
    documents.resume()
    assert stages(documents, scope) == {"contract.txt": "ready"}


def test_what_a_person_cancelled_stays_cancelled(data, opened):
    scope = opened(data).thread("t1")
    [facts] = files.load(scope)
    problem = {"what": "This was cancelled.", "do": "", "code": "cancelled"}
    path = scope.folder / facts.id / files.ABOUT
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stage": "stopped"}))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"problem": problem}))
    documents = opened(data)
    documents.resume()
    assert stages(documents, scope) == {"contract.txt": "stopped"}


@pytest.mark.parametrize(
    ("loss", "cache"),
    [("table", "kept"), ("all tables", "lost"), ("rows", "lost"), ("damage", "kept")],
)
def test_a_ready_file_whose_rows_are_lost_is_embedded_again_without_being_read(
    data, opened, loss, cache
):
    documents = opened(data)
    scope = documents.thread("t1")
    [facts] = files.load(scope)
    (scope.folder / facts.id / files.ORIGINAL).unlink()  # so that reading it would fail
    table = data / "lance" / f"{scope.table}.lance"
    match loss:
        case "table":
            documents._tables.drop(scope.table)
        case "all tables":
            shutil.rmtree(data / "lance")
        case "rows":
            documents._tables.remove(scope.table, [facts.id])
        case "damage":
            for path in (table / "_versions").iterdir():
                path.write_bytes(b"torn")
    documents.close()
    if cache == "lost":
        shutil.rmtree(data / "cache")
    documents = opened(data)
    documents.resume()
    documents.status(scope)
    assert documents.wait_idle(SECONDS)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert found(documents, scope, QUESTION) == ["contract.txt"]


def test_a_thread_in_the_trash_has_no_table_and_gets_it_back(data, opened):
    documents = opened(data)
    scope = documents.thread("t1")
    documents.status(scope)
    to_trash(documents, scope, data)
    assert not (data / "lance" / f"{scope.table}.lance").exists()
    with pytest.raises(NotFound):
        documents.status(scope)
    from_trash(documents, scope, data)
    assert documents.wait_idle(SECONDS)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert found(documents, scope, QUESTION) == ["contract.txt"]


def test_work_for_a_thread_that_goes_to_the_trash_ends_and_goes_on_after(tmp_path, opened):
    model = HeldModel()
    documents = opened(tmp_path, model)
    scope = documents.thread("t1")
    model.gate.clear()
    file_id = add(documents, scope, "contract.txt", CONTRACT).state.id
    until_stage(documents, scope, file_id, "embedding")
    to_trash(documents, scope, tmp_path)
    model.gate.set()
    assert documents.wait_idle(SECONDS)
    assert not scope.folder.parent.exists()
    assert documents._tables.names() == []
    from_trash(documents, scope, tmp_path)
    assert stages(documents, scope) == {"contract.txt": "ready"}


def test_a_thread_that_could_not_be_moved_keeps_its_files(data, opened):
    documents = opened(data)
    scope = documents.thread("t1")
    with pytest.raises(StorageFailed), documents.leaving(scope):
        raise StorageFailed("Nothing was moved.")
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert found(documents, scope, QUESTION) == ["contract.txt"]


def test_a_thread_that_is_deleted_twice_stays_deleted(data, opened):
    documents = opened(data)
    scope = documents.thread("t1")
    to_trash(documents, scope, data)
    with pytest.raises(NotFound), documents.leaving(scope):
        raise NotFound("There is no such thread.")
    with pytest.raises(NotFound):
        add(documents, scope, "late.txt", GARDEN)
    assert not scope.folder.parent.exists()


def test_who_waits_for_the_files_of_a_thread_does_not_keep_it_from_leaving(data, opened):
    documents = opened(data)
    scope = documents.thread("t1")
    looked = []

    def look():
        with pytest.raises(NotFound):
            documents.search([scope], QUESTION)
        looked.append(True)

    with documents.leaving(scope):
        reader = threading.Thread(target=look)
        reader.start()
        reader.join(SECONDS)
        assert looked


def test_tables_of_threads_that_went_without_us_are_dropped_at_the_next_start(data, opened):
    documents = opened(data)
    scope = documents.thread("t1")
    shutil.rmtree(scope.folder.parent)
    documents.resume()
    assert documents._tables.names() == []


def test_what_a_crash_left_of_a_dropped_table_goes_at_the_next_start(data, opened):
    left = data / "lance/attachments_t9.dropped"
    (left / "data").mkdir(parents=True)
    opened(data).resume()
    assert not left.exists()


def test_leftovers_of_crashes_go_and_the_others_stay(data, opened):
    documents = opened(data)
    scope = documents.thread("t1")
    add(documents, scope, "garden.txt", GARDEN)
    stages(documents, scope)
    [gone] = [state.id for state in documents.status(scope) if state.name == "garden.txt"]
    documents.close()
    files.remove(scope, gone)
    files.make_room(scope, "half")
    documents = opened(data)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert documents.wait_idle(SECONDS)
    assert len(list(scope.folder.iterdir())) == 1
    assert documents._tables.between(scope.table, gone, 0, 9) == []


def test_another_model_embeds_again_in_the_background_while_search_goes_on(data, opened):
    model = HeldModel(salt="other", dimension=32)
    model.gate.clear()
    documents = opened(data, model, name="other words")
    scope = documents.thread("t1")
    assert stages(documents, scope) == {"contract.txt": "ready"}
    assert model.reached.wait(SECONDS)
    answers = documents.search([scope], "notice")
    assert [passage.by for passage in answers.passages] == ["words"]
    model.gate.set()
    assert documents.wait_idle(SECONDS)
    assert [p.by for p in documents.search([scope], QUESTION).passages] == ["meaning"]


def test_one_damaged_scope_does_not_keep_the_others_from_going_on(data, opened):
    (data / "threads/a").mkdir()
    (data / "threads/a/files").mkdir()
    folder = data / "threads/a/files/f1"
    folder.mkdir()
    (folder / files.ABOUT).write_text("{")
    (data / "threads/b").mkdir()
    (data / "threads/b/files").write_text("no folder")
    documents = opened(data)
    documents.resume()
    assert stages(documents, documents.thread("t1")) == {"contract.txt": "ready"}
    assert stages(documents, documents.thread("a")) == {"file": "damaged"}
