"""Files taken in, found, sent and deleted, with the real parsers and tables."""

import itertools
import shutil
import threading
from pathlib import Path

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
from webapp.documents.retrieval import Search
from webapp.documents.service import DocumentOptions, Documents
from webapp.documents.uploads import Duplicate
from webapp.errors import NotFound

CASES = Path(__file__).parents[1] / "data/documents/cases"


@pytest.fixture
def documents(tmp_path):
    documents = open_documents(tmp_path)
    yield documents
    documents.close()


@pytest.fixture
def scope(documents):
    return documents.thread("t1")


def test_a_file_can_be_found_a_moment_after_it_was_added(documents, scope):
    stored = add(documents, scope, "contract.txt", CONTRACT)
    assert stored.state.stage == "waiting"
    assert stages(documents, scope) == {"contract.txt": "ready"}
    answers = documents.search([scope], "notice of ninety days to end the contract")
    [passage] = answers.passages
    assert (passage.file_name, passage.text) == ("contract.txt", CONTRACT.strip())
    assert (passage.file_id, answers.notes) == (stored.state.id, ())
    assert documents.text(scope, stored.state.id).text.strip() == CONTRACT.strip()
    assert documents.original(scope, stored.state.id).read_bytes() == CONTRACT.encode()
    [chunk] = documents.chunks(scope, stored.state.id, 0, 9)
    assert chunk.text == CONTRACT.strip()


def test_five_files_at_once_end_each_by_itself(documents, scope, ocr_of_the_machine):
    ocr_of_the_machine(None)
    ready = ("letter-gbk.txt", "cities.csv", "ligature.pdf", "report-tables.docx")
    names = (*ready, "scan.pdf", "bomb.docx")
    threads = [
        threading.Thread(target=add, args=(documents, scope, name, (CASES / name).read_bytes()))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stages(documents, scope) == {
        **dict.fromkeys(ready, "ready"),
        "scan.pdf": "rejected",
        "bomb.docx": "rejected",
    }
    problems = {state.name: state.problem for state in documents.status(scope)}
    assert "no text" in problems["scan.pdf"].what
    assert (problems["bomb.docx"].code, problems["cities.csv"]) == ("archive_bomb", None)
    for name in ready:
        [state] = [state for state in documents.status(scope) if state.name == name]
        pieces = documents.chunks(scope, state.id, 0, 19)
        assert len(pieces) == state.facts.chunks == pieces[-1].order + 1
    assert found(documents, scope, "Porto, Portugal two lines: river and sea") == ["cities.csv"]


def test_only_ready_files_are_searched_and_the_others_are_spoken_of(tmp_path):
    model = HeldModel()
    documents = open_documents(tmp_path, model)
    scope = documents.thread("t1")
    add(documents, scope, "garden.txt", GARDEN)
    assert stages(documents, scope) == {"garden.txt": "ready"}
    model.gate.clear()
    late = add(documents, scope, "contract.txt", CONTRACT).state
    until_stage(documents, scope, late.id, "embedding")
    answers = documents.search([scope], "contract notice tomatoes morning", Search(threshold=0.0))
    assert [passage.file_name for passage in answers.passages] == ["garden.txt"]
    assert answers.notes == ("1 file is still being read.",)
    with pytest.raises(NotFound):
        documents.chunks(scope, late.id, 0, 1)
    assert documents.text(scope, late.id).text.strip() == CONTRACT.strip()
    model.gate.set()
    assert stages(documents, scope) == {"garden.txt": "ready", "contract.txt": "ready"}
    documents.close()


def test_a_thread_and_its_project_are_searched_together(documents, scope):
    project = documents.project("p1")
    add(documents, scope, "garden.txt", GARDEN)
    add(documents, project, "contract.txt", CONTRACT)
    assert stages(documents, scope) == {"garden.txt": "ready"}
    assert stages(documents, project) == {"contract.txt": "ready"}
    both = documents.search([scope, project], CONTRACT + GARDEN)
    assert {passage.file_name for passage in both.passages} == {"garden.txt", "contract.txt"}
    assert found(documents, documents.thread("t2"), "tomatoes") == []
    assert found(documents, scope, "ninety days of notice to end the contract") == []


def test_one_file_can_be_searched_alone(documents, scope):
    ids = [add(documents, scope, f"{n}.txt", GARDEN + "\n" * n + str(n)).state.id for n in (1, 2)]
    documents.wait_over(scope, SECONDS)
    question, wide = "Water the tomatoes every morning", Search(10, 0.0)
    assert {each.file_id for each in documents.search([scope], question, wide).passages} == set(ids)
    for file_id in ids:
        found_there = documents.search([scope], question, wide, file_id).passages
        assert {each.file_id for each in found_there} == {file_id}
    assert documents.search([scope], question, wide, "of another thread").passages == ()


def test_small_files_are_sent_whole_and_counted_with_their_header(documents, scope):
    small = add(documents, scope, "contract.txt", CONTRACT).state.id
    large = add(documents, scope, "garden.txt", GARDEN * 50).state.id
    bad = add(documents, scope, "empty.txt", "").state.id
    stages(documents, scope)
    asked = []

    def count(text):
        asked.append(text)
        return len(text) // 4

    assert documents.routes(scope, [small, large, bad], 100, count) == {
        small: "inline",
        large: "embeddings",
        bad: "embeddings",
    }
    assert asked[0] == f"File: contract.txt\n{documents.text(scope, small).text}"
    assert documents.routes(scope, [small], 100, count, "ask") == {small: "ask"}
    documents.acts.choose_use(scope, large, "inline")
    assert documents.routes(scope, [large], 100, count) == {large: "inline"}
    text = documents.text(scope, small).text
    assert documents.inlined(scope, [small]) == [{"name": "contract.txt", "content": text}]


def test_of_a_book_only_the_beginning_is_counted(documents, scope):
    book = add(documents, scope, "book.txt", GARDEN * 2000).state.id
    stages(documents, scope)
    asked = []

    def count(text):
        asked.append(len(text))
        return len(text) // 4

    assert documents.routes(scope, [book], 1000, count) == {book: "embeddings"}
    assert max(asked) < 10_000
    assert documents.routes(scope, [book], 1000, lambda text: len(text) // 400) == {book: "inline"}


def test_files_of_a_project_are_always_searched(documents):
    project = documents.project("p1")
    file_id = add(documents, project, "contract.txt", CONTRACT).state.id
    stages(documents, project)
    documents.acts.choose_use(project, file_id, "inline")
    assert documents.routes(project, [file_id], 10_000, len) == {file_id: "embeddings"}


def test_a_text_can_be_sent_whole_without_any_embedding_model(tmp_path):
    model = WordModel()
    model.broken = True
    documents = open_documents(tmp_path, model)
    scope = documents.thread("t1")
    file_id = add(documents, scope, "contract.txt", CONTRACT).state.id
    assert stages(documents, scope) == {"contract.txt": "stopped"}
    assert "The model has gone." in str(documents.state(scope, file_id).problem)
    assert documents.routes(scope, [file_id], 10_000, len) == {file_id: "inline"}
    assert documents.inlined(scope, [file_id])[0]["content"].strip() == CONTRACT.strip()
    model.broken = False
    documents.acts.retry(scope, file_id)
    assert stages(documents, scope) == {"contract.txt": "ready"}
    documents.close()


class TestVectorsOfDeletedFiles:
    """They are kept while a file may come back, and go when it cannot."""

    QUESTION = "ninety days of notice to end this contract"

    @pytest.fixture
    def kept(self, documents, scope):
        """Whose vectors are kept now."""
        add(documents, scope, "contract.txt", CONTRACT)
        assert stages(documents, scope) == {"contract.txt": "ready"}

        def look():
            assert documents.wait_idle(SECONDS)
            return documents._model.owners()

        assert len(look()) == 1
        return look

    def test_in_the_trash_they_stay_and_with_the_trash_they_go(
        self, documents, scope, kept, tmp_path
    ):
        with documents.leaving(scope):
            (tmp_path / "trash").mkdir()
            scope.folder.parent.rename(tmp_path / "trash/1.t1")
        assert len(kept()) == 1
        shutil.rmtree(tmp_path / "trash/1.t1")
        documents.forget_deleted()
        assert kept() == set()

    def test_those_of_a_project_go_with_it(self, documents, scope, kept):
        project = documents.project("p1")
        add(documents, project, "contract.txt", CONTRACT)
        stages(documents, project)
        assert len(kept()) == 2
        with documents.leaving(project):
            shutil.rmtree(project.folder.parent)
        assert len(kept()) == 1
        assert found(documents, scope, self.QUESTION) == ["contract.txt"]

    def test_a_text_that_another_thread_has_too_is_not_embedded_again(self, tmp_path):
        model = HeldModel()
        documents = open_documents(tmp_path, model)
        one, other, third = (documents.thread(name) for name in ("t1", "t2", "t3"))
        for scope in (one, other):
            add(documents, scope, "contract.txt", CONTRACT)
            stages(documents, scope)
        documents.acts.remove(one, documents.status(one)[0].id)
        add(documents, third, "contract.txt", CONTRACT)
        stages(documents, third)
        assert model.passages == 1
        assert found(documents, other, self.QUESTION) == ["contract.txt"]
        documents.close()

    def test_passages_that_were_compared_go_with_their_file(self, documents, scope, kept):
        file_id = documents.status(scope)[0].id
        words = [CONTRACT[:30], "of a file that is gone"]
        compared = documents.compared(scope, ["a sentence"], words, [file_id, "gone"])
        assert (len(compared.texts), len(compared.passages)) == (1, 2)
        assert len(kept()) == 1
        documents.acts.remove(scope, file_id)
        assert kept() == set()

    def test_those_that_come_after_their_file_was_deleted_are_not_kept(self, tmp_path):
        model = HeldModel()
        model.gate.clear()
        documents = open_documents(tmp_path, model)
        scope = documents.thread("t1")
        file_id = add(documents, scope, "contract.txt", CONTRACT).state.id
        assert model.reached.wait(SECONDS)
        documents.acts.remove(scope, file_id)
        model.gate.set()
        assert documents.wait_idle(SECONDS)
        assert documents._model.owners() == set()
        documents.close()


def test_the_options_hold(tmp_path):
    documents = open_documents(
        tmp_path, options=DocumentOptions(file_bytes=1000, search=Search(limit=1), use="ask")
    )
    scope = documents.thread("t1")
    file_id = add(documents, scope, "garden.txt", GARDEN).state.id
    add(documents, scope, "more.txt", GARDEN + "And the roses.")
    stages(documents, scope)
    assert len(found(documents, scope, "tomatoes beans morning evening")) == 1
    assert documents.routes(scope, [file_id], 10_000, len) == {file_id: "ask"}
    documents.close()


def test_a_duplicate_that_did_not_end_well_is_tried_again(tmp_path):
    model = WordModel()
    model.broken = True
    documents = open_documents(tmp_path, model)
    scope = documents.thread("t1")
    add(documents, scope, "contract.txt", CONTRACT)
    assert stages(documents, scope) == {"contract.txt": "stopped"}
    model.broken = False
    again = add(documents, scope, "copy.txt", CONTRACT)
    assert isinstance(again, Duplicate)
    assert again.sentence == "“copy.txt” is the same file as “contract.txt”, which is here already."
    assert stages(documents, scope) == {"contract.txt": "ready"}
    documents.close()


@pytest.mark.parametrize("id", ["../other", "a/b", ".", "", "x" * 65, "a\0"])
def test_what_is_no_id_is_refused_before_it_meets_a_path(documents, id):
    for make in (documents.thread, documents.project):
        with pytest.raises(NotFound):
            make(id)
    with pytest.raises(NotFound):
        documents.text(documents.thread("t1"), id)
    with pytest.raises(NotFound):
        documents.acts.remove(documents.thread("t1"), id)


@pytest.mark.model
def test_one_whole_pass_with_the_real_embedding_model(tmp_path, multilingual, clock):
    numbers = itertools.count()
    documents = Documents(
        tmp_path,
        multilingual._embedder,
        multilingual.model,
        clock_ms=clock,
        new_id=lambda: f"f{next(numbers)}",
    )
    scope = documents.thread("t1")
    for name in ("letter-gbk.txt", "cities.csv", "report-tables.docx"):
        add(documents, scope, name, (CASES / name).read_bytes())
    add(documents, scope, "contract.txt", CONTRACT)
    assert set(stages(documents, scope).values()) == {"ready"}
    assert found(documents, scope, "How long is the notice period?")[0] == "contract.txt"
    assert found(documents, scope, "仓库什么时候搬迁?")[0] == "letter-gbk.txt"
    assert documents.wait_idle(SECONDS)
    documents.close()
