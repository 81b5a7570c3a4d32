"""After an answer from files it is known which sentence rests on what."""

import threading

import pytest

from tests.documents.searching import WordModel
from tests.documents.taking_in import CONTRACT, GARDEN, open_documents
from tests.engines.real_models import chat_model, embed_model
from tests.generation.with_files import QUESTION, ask, service_over, taken_in
from webapp.chat.assistant import Assistant
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.service import DocumentOptions, Documents
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.generation.groundings import digest

SECONDS = 10
# Says the same each time: without one, words are chosen by chance.
SURE = Assistant({"id": "sure", "parameters": {"temperature": 0}})
SAID = "Either party may end this contract with ninety days of notice."
INVENTED = "The moon is made of green cheese entirely."
QUOTED = "It says “with ninety days of notice” and “with ninety years of notice”."


@pytest.fixture
def embedder():
    return WordModel()


@pytest.fixture(params=["embeddings", "inline"])
def use(request):
    return request.param


@pytest.fixture
def documents(tmp_path, embedder, use):
    documents = open_documents(tmp_path / "data", embedder, options=DocumentOptions(use=use))
    yield documents
    documents.close()


@pytest.fixture
def thread(library, documents):
    thread = library.create("A title").id
    taken_in(documents, thread, "garden.txt", GARDEN)
    taken_in(documents, thread, "contract.txt", CONTRACT)
    return thread


@pytest.fixture
def service(documents, engine, library, clock):
    service = service_over(documents, engine, library, clock, file_search="always")
    yield service
    service.close()


def grounded(library, thread, message_id, seconds=SECONDS):
    """The answer's grounding, once it is there."""
    for _ in range(seconds * 50):
        found = library.message(thread, message_id).metadata.get("grounding")
        if found is not None:
            return found
        threading.Event().wait(0.02)
    raise AssertionError("the answer was not compared with its files")


def test_each_sentence_has_its_passage_or_is_told_to_have_none(service, library, thread):
    text = f"{SAID} {INVENTED} {QUOTED}"
    answer = ask(service, library, thread, f"{QUESTION} /echo {text}")
    found = grounded(library, thread, answer.id)
    mark = found["marks"][0]
    assert (mark["at"], mark["sentence"]) == (len(SAID), [0, len(SAID)])
    passage = found["passages"][mark["passage"]]
    assert passage["file"] == "contract.txt" and passage["n"] == mark["passage"] + 1
    assert passage["text"][slice(*mark["span"])] == SAID
    assert mark["score"] >= found["threshold"] == 0.65
    begin = text.index(INVENTED)
    assert [begin, begin + len(INVENTED)] in found["unsupported"]
    assert found["text_digest"] == digest(text)
    there, missing = found["quotes"]
    assert text[there["start"] : there["end"]] == "with ninety days of notice"
    assert found["passages"][there["passage"]]["file"] == "contract.txt"
    assert missing["passage"] is None


PAGES = [f"This is the page with the number {n}, and it says nothing more. " * 4 for n in "123"]
ON_TWO = "Whoever comes late pays forty euros to the harbour master. "


def test_a_mark_names_the_place_of_its_words_and_not_that_of_all_that_was_read(
    service, library, documents
):
    thread = library.create("A title").id
    lines = f"{PAGES[0]}\n{ON_TWO}{PAGES[1]}\n{PAGES[2]}\n"
    taken_in(documents, thread, "harbour.txt", lines)
    said = ON_TWO.strip()
    answer = ask(service, library, thread, f"What does late pay? /echo {said}")
    found = grounded(library, thread, answer.id)
    [mark] = found["marks"]
    passage = found["passages"][mark["passage"]]
    assert mark["place"] == "line 2"
    assert passage["place"] == "lines 1–2"


def test_an_answer_of_another_program_is_compared_with_what_its_tools_told(service, library):
    thread = library.create("Brought in").id
    page = {"url": "https://example.org", "text": SAID}
    call = {"tool": {"id": "c", "function": {"name": "search"}}, "response": {"data": [page]}}
    answer = ask(service, library, thread, f"{QUESTION} /echo {SAID} {INVENTED}")
    library.marks.keep(thread, answer.id, {"tool_calls": [call]})
    found = service.groundings.again(thread, answer.id).metadata["grounding"]
    assert found["passages"][0]["address"] == "https://example.org"
    assert [(mark["at"], mark["place"]) for mark in found["marks"]] == [(len(SAID), "")]


def test_an_answer_without_files_is_compared_with_nothing(service, library, embedder):
    thread = library.create("A title").id
    answer = ask(service, library, thread, f"{QUESTION} /echo {SAID}")
    assert service.groundings.again(thread, answer.id).metadata.get("grounding") is None
    assert embedder.asked == []


def test_it_can_be_done_again_after_the_answer_was_changed(service, library, thread):
    answer = ask(service, library, thread, f"{QUESTION} /echo {INVENTED}")
    assert grounded(library, thread, answer.id)["marks"] == []
    again = service.groundings.again(thread, answer.id)
    assert again.text == INVENTED
    assert again.metadata["grounding"]["unsupported"] == [[0, len(INVENTED)]]


def test_an_embedding_model_that_has_gone_leaves_the_answer_as_it_is(
    service, library, thread, embedder
):
    embedder.broken = True
    answer = ask(service, library, thread, f"{QUESTION} /echo {SAID}")
    service.close()
    assert "grounding" not in library.message(thread, answer.id).metadata
    assert answer.text == SAID


@pytest.mark.model
def test_the_starter_models_answer_from_a_file_and_the_sentence_leads_to_it(
    tmp_path, library, clock
):
    prefixes = {"query_prefix": "query: ", "passage_prefix": "passage: "}
    engine = LlamaCppEngine(chat_model(), embed_model(), context_tokens=2048, threads=0, **prefixes)
    model = EmbeddingModel("e5", 384, 0.774, 0.945, "query: ", "passage: ")
    numbers = iter(range(100))
    documents = Documents(
        tmp_path / "data",
        engine,
        model,
        clock_ms=clock,
        new_id=lambda: f"file-{next(numbers)}",
        options=DocumentOptions(use="embeddings"),
    )
    choices = {"window": {"max_output_tokens": 60}, "file_search": "always"}
    service = service_over(documents, engine, library, clock, **choices)
    try:
        thread = library.create("Contract", SURE).id
        taken_in(documents, thread, "contract.txt", CONTRACT)
        question = "How many days of notice does the contract have? Answer in one sentence."
        pending = service.ask(thread, question)
        live = service.live(pending.id)
        assert live.wait_done(timeout=90).phase == "ready"
        answer = library.message(thread, pending.id)
        found = grounded(library, thread, answer.id, seconds=30)
    finally:
        service.close()
        documents.close()
        engine.close()
    assert "ninety" in answer.text.lower() or "90" in answer.text
    assert [found["passages"][mark["passage"]]["file"] for mark in found["marks"]]
