"""Whether files are looked into, and what an answer gets of them."""

import pytest

from tests.documents.searching import WordModel
from tests.documents.taking_in import CONTRACT, GARDEN, open_documents
from tests.generation.with_files import QUESTION, ask, service_over, taken_in
from webapp.documents.service import DocumentOptions
from webapp.generation.excerpts import HEADING


@pytest.fixture
def embedder():
    return WordModel()


@pytest.fixture
def documents(tmp_path, embedder):
    """Files are always searched, never sent whole."""
    options = DocumentOptions(use="embeddings")
    documents = open_documents(tmp_path / "data", embedder, options=options)
    yield documents
    documents.close()


@pytest.fixture
def thread(library, documents):
    thread = library.create("A title").id
    taken_in(documents, thread, "contract.txt", CONTRACT)
    return thread


@pytest.fixture
def service_with(documents, engine, library, clock):
    services = []

    def made(how):
        services.append(service_over(documents, engine, library, clock, file_search=how))
        return services[-1]

    yield made
    for each in services:
        each.close()


def usage(answer):
    return answer.metadata["usage"]


def sent(engine):
    return engine.requests[-1].turns[-1].content


def test_always_puts_the_passages_before_the_question(service_with, engine, library, thread):
    service = service_with("always")
    answer = ask(service, library, thread, QUESTION)
    [turn] = engine.requests[-1].turns
    assert turn.content.startswith(HEADING) and turn.content.endswith(QUESTION)
    assert "[contract.txt" in turn.content and CONTRACT.strip() in turn.content
    assert len(engine.requests) == 1
    [passage] = usage(answer)["passages"]
    assert (passage["n"], passage["file"], passage["place"]) == (1, "contract.txt", "line 1")
    assert 0 < passage["score"] <= 1
    assert passage["text"] == CONTRACT[passage["start"] : passage["end"]]
    assert library.path(thread)[0].text == QUESTION


def test_the_trace_tells_the_words_the_hits_and_what_the_threshold_took(
    service_with, library, thread
):
    answer = ask(service_with("always"), library, thread, QUESTION)
    [traced] = usage(answer)["trace"]
    assert (traced["tool"], traced["by"]) == ("retrieve", "automatic")
    assert traced["arguments"] == {"query": QUESTION}
    assert [(hit["file"], hit["kept"]) for hit in traced["hits"]] == [("contract.txt", True)]
    assert (traced["threshold"], traced["removed"]) == (0.3, 0)
    assert traced["milliseconds"] >= 0


def test_a_question_that_nothing_fits_is_sent_alone_and_the_search_is_traced(
    service_with, engine, library, thread
):
    answer = ask(service_with("always"), library, thread, "Something else entirely")
    assert sent(engine) == "Something else entirely"
    [traced] = usage(answer)["trace"]
    assert traced["removed"] == 1 and not traced["hits"][0]["kept"]
    assert "passages" not in usage(answer)


def test_off_looks_at_nothing(service_with, engine, library, thread):
    answer = ask(service_with("off"), library, thread, QUESTION)
    assert sent(engine) == QUESTION
    assert not {"trace", "passages"} & set(usage(answer))
    assert len(engine.requests) == 1


def test_an_embedding_model_that_has_gone_leaves_words(
    service_with, engine, library, thread, embedder
):
    embedder.broken = True
    answer = ask(service_with("always"), library, thread, QUESTION)
    assert CONTRACT.strip() in sent(engine)
    assert "by their words" in usage(answer)["trace"][0]["note"]


def test_a_thread_without_files_is_answered_as_ever(service_with, engine, library):
    thread = library.create("No files").id
    answer = ask(service_with("always"), library, thread, QUESTION)
    assert sent(engine) == QUESTION and len(engine.requests) == 1
    assert not {"trace", "passages"} & set(usage(answer))


def test_files_of_another_thread_are_not_found(service_with, documents, engine, library, thread):
    other = library.create("Other").id
    taken_in(documents, other, "garden.txt", GARDEN)
    ask(service_with("always"), library, thread, "Water the tomatoes every morning?")
    assert "tomatoes every morning, the beans" not in sent(engine)
