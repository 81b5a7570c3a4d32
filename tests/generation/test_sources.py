"""What a thread's files add to an answer."""

import pytest

from tests.documents.taking_in import CONTRACT, GARDEN, HeldModel, add, open_documents, until
from webapp.documents.service import DocumentOptions
from webapp.generation.service import GenerationService
from webapp.generation.sources import HEADING, INLINED, inlined_ids

SECONDS = 30
QUESTION = "How many days of notice does the contract have?"


@pytest.fixture
def embedder():
    return HeldModel()


@pytest.fixture
def documents(tmp_path, embedder):
    documents = open_documents(tmp_path / "data", embedder)
    yield documents
    embedder.gate.set()
    documents.close()


@pytest.fixture
def searched(tmp_path, embedder):
    """Documents that are always searched, never sent whole."""
    options = DocumentOptions(use="embeddings")
    documents = open_documents(tmp_path / "data", embedder, options=options)
    yield documents
    documents.close()


def service_over(documents, engine, library, clock):
    return GenerationService(engine, library, clock_ms=clock, documents=documents)


@pytest.fixture
def thread(library):
    return library.create("A title").id


def ask(service, library, thread, text):
    pending = service.ask(thread, text)
    live = service.live(pending.id)
    if live:
        assert live.wait_done(timeout=SECONDS).done
    answer = library.message(thread, pending.id)
    assert answer.status == "ready", answer.error
    return answer


def taken_in(documents, thread, name, content):
    scope = documents.thread(thread)
    stored = add(documents, scope, name, content)
    assert all(each.is_ready for each in documents.wait_over(scope, SECONDS).files)
    return stored.state.id


def test_a_file_that_fits_stands_with_the_question_and_is_counted(
    documents, engine, library, clock, thread
):
    service = service_over(documents, engine, library, clock)
    file_id = taken_in(documents, thread, "contract.txt", CONTRACT)
    ask(service, library, thread, QUESTION)
    [turn] = engine.requests[-1].turns
    assert CONTRACT.strip() in turn.content and turn.content.endswith(QUESTION)
    [record] = library.path(thread)[0].metadata[INLINED]
    assert (record["name"], record["file_id"]) == ("contract.txt", file_id)
    assert service.window.outlook(thread).ledger.inlined > 10
    service.close()


def test_it_is_sent_once_and_stays_in_later_turns(documents, engine, library, clock, thread):
    service = service_over(documents, engine, library, clock)
    taken_in(documents, thread, "contract.txt", CONTRACT)
    ask(service, library, thread, QUESTION)
    taken_in(documents, thread, "garden.txt", GARDEN)
    ask(service, library, thread, "And the tomatoes?")
    words = "\n".join(turn.content for turn in engine.requests[-1].turns)
    assert words.count("File: contract.txt\n") == words.count("File: garden.txt\n") == 1
    assert len(inlined_ids(library.path(thread))) == 2
    service.close()


def test_of_a_file_that_is_searched_the_passages_come_before_the_question(
    searched, engine, library, clock, thread
):
    service = service_over(searched, engine, library, clock)
    taken_in(searched, thread, "contract.txt", CONTRACT)
    answer = ask(service, library, thread, QUESTION)
    [turn] = engine.requests[-1].turns
    assert turn.content.startswith(HEADING)
    assert "[contract.txt" in turn.content and CONTRACT.strip() in turn.content
    assert turn.content.endswith(QUESTION)
    [passage] = answer.metadata["usage"]["passages"]
    assert passage["file"] == "contract.txt" and 0 < passage["score"] <= 1
    assert library.path(thread)[0].text == QUESTION
    ask(service, library, thread, "Something else entirely")
    assert engine.requests[-1].turns[0].content == QUESTION
    service.close()


def test_an_answer_waits_for_files_that_are_being_read_and_says_so(
    documents, engine, library, clock, thread, embedder
):
    service, scope = service_over(documents, engine, library, clock), documents.thread(thread)
    embedder.gate.clear()
    add(documents, scope, "contract.txt", CONTRACT)
    assert embedder.reached.wait(SECONDS)
    pending = service.ask(thread, QUESTION)
    live = service.live(pending.id)
    now = live.snapshot()
    while "contract.txt is being embedded" not in now.detail:
        before = now.version
        now = live.wait(before, SECONDS)
        assert now.version > before
    embedder.gate.set()
    assert live.wait_done(timeout=SECONDS).phase == "ready"
    assert CONTRACT.strip() in engine.requests[-1].turns[0].content
    service.close()


def test_stopping_while_it_waits_stops_the_answer_and_not_the_file(
    documents, engine, library, clock, thread, embedder
):
    service, scope = service_over(documents, engine, library, clock), documents.thread(thread)
    embedder.gate.clear()
    add(documents, scope, "contract.txt", CONTRACT)
    assert embedder.reached.wait(SECONDS)
    pending = service.ask(thread, QUESTION)
    live = service.live(pending.id)
    live.wait(0, SECONDS)
    service.stop(pending.id)
    assert live.wait_done(timeout=SECONDS).phase == "stopped"
    assert engine.requests == []
    embedder.gate.set()
    until(documents, scope, lambda files: all(each.is_ready for each in files))
    service.close()


def test_a_rejected_file_stands_in_nobody_s_way(documents, engine, library, clock, thread):
    service, scope = service_over(documents, engine, library, clock), documents.thread(thread)
    add(documents, scope, "blank.txt", "   \n \n")
    documents.wait_over(scope, SECONDS)
    ask(service, library, thread, QUESTION)
    assert [turn.content for turn in engine.requests[-1].turns] == [QUESTION]
    service.close()


def test_a_thread_without_files_is_answered_as_ever(documents, engine, library, clock, thread):
    service = service_over(documents, engine, library, clock)
    answer = ask(service, library, thread, QUESTION)
    assert "passages" not in answer.metadata["usage"]
    service.close()
