"""What a thread's files add to an answer."""

import pytest

from tests.documents.taking_in import CONTRACT, GARDEN, HeldModel, add, open_documents, until
from tests.generation.with_files import QUESTION, SECONDS, ask, service_over, taken_in
from webapp.chat.messages import new_message
from webapp.generation.sources import INLINED, inlined_ids, whole_files


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
def thread(library):
    return library.create("A title").id


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
    [passage] = library.path(thread)[-1].metadata["usage"]["passages"]
    assert (passage["n"], passage["file_id"], passage["whole"]) == (1, file_id, True)
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


def question(id, *records):
    facts = {INLINED: list(records)}
    return new_message(id=id, thread_id="t", role="user", text="?", created_at=1, metadata=facts)


def test_a_file_counts_once_and_damaged_records_not_at_all():
    record = {"file_id": "w1", "name": "whole.txt", "content": "x"}
    path = [question("a", record, 3, None, {"file_id": 7}), question("b", record)]
    path.append(new_message(id="c", thread_id="t", role="user", text="", created_at=2))
    assert inlined_ids(path) == {"w1"}
    assert len(whole_files(path)) == 1
