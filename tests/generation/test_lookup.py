"""Whether files are looked into, and what an answer gets of them."""

import threading

import pytest

from tests.documents.searching import WordModel
from tests.documents.taking_in import CONTRACT, GARDEN, SECONDS, open_documents
from tests.generation.with_files import QUESTION, ask, service_over, taken_in
from webapp.chat.decision import SCHEMA, SHORT_SCHEMA
from webapp.documents.service import DocumentOptions
from webapp.documents.tools import TOOLS
from webapp.documents.tools.tool import Outcome, function, written
from webapp.engines.engine import Finished
from webapp.errors import EngineFailed
from webapp.generation.excerpts import HEADING, Retrieved
from webapp.generation.lookup import NOT_NEEDED, SILENT, UNDECIDED
from webapp.generation.within import Within


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


def decisions(engine):
    return [request for request in engine.asides if request.schema]


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


def test_the_model_decides_on_words_to_look_for(service_with, engine, library, thread):
    service, asked = service_with("auto"), f"and that? /retrieve {QUESTION}"
    ask(service, library, thread, "What does the contract say about notice?")
    answer = ask(service, library, thread, asked)
    assert CONTRACT.strip() in sent(engine)
    [traced] = usage(answer)["trace"]
    assert (traced["tool"], traced["by"], traced["note"]) == ("retrieve", "decision", "")
    # The model's words add nothing to the question, so the one before it is searched with it.
    before = "What does the contract say about notice?"
    assert traced["arguments"] == {"query": f"{before}\n{asked}"}
    decision = decisions(engine)[-1]
    assert decision.schema == SCHEMA and decision.sampling.temperature == 0
    before, last = decision.turns[-1].content.splitlines()[1:]
    assert before.startswith("Before: What does the contract") and asked in last


def test_a_question_that_stands_by_itself_is_searched_as_it_is(
    service_with, engine, library, thread
):
    asked = f"{QUESTION} /retrieve roses"
    answer = ask(service_with("auto"), library, thread, asked)
    assert usage(answer)["trace"][0]["arguments"] == {"query": asked}
    assert decisions(engine)[-1].schema == SHORT_SCHEMA


@pytest.mark.parametrize("how", ["auto", "model"])
def test_the_model_may_decide_that_no_file_is_needed(service_with, engine, library, thread, how):
    answer = ask(service_with(how), library, thread, "Hello there")
    assert sent(engine) == "Hello there"
    assert len(decisions(engine)) == 1
    [traced] = usage(answer)["trace"]
    assert (traced["tool"], traced["by"], traced["note"]) == ("", "decision", NOT_NEEDED)
    assert "passages" not in usage(answer)


def test_the_model_may_ask_which_files_there_are(service_with, engine, library, thread):
    answer = ask(service_with("auto"), library, thread, "What did I attach? /files")
    assert "- contract.txt" in sent(engine)
    assert usage(answer)["trace"][0]["tool"] == "list_attachments"


def test_what_the_model_cannot_decide_is_searched_or_not_by_choice(
    service_with, engine, library, thread, monkeypatch
):
    generate = engine.generate

    def refusing(request):
        if request.schema is not None:
            raise EngineFailed("The model knows no schemas.", do="Choose another.")
        return generate(request)

    monkeypatch.setattr(engine, "generate", refusing)
    answer = ask(service_with("auto"), library, thread, QUESTION)
    [traced] = usage(answer)["trace"]
    assert (traced["by"], traced["note"]) == ("automatic", UNDECIDED)
    answer = ask(service_with("model"), library, thread, QUESTION)
    assert sent(engine) == QUESTION and usage(answer)["trace"][0]["note"] == SILENT


def test_an_answer_stopped_while_the_model_decides_ends(
    service_with, engine, library, thread, monkeypatch
):
    service, generate, deciding = service_with("auto"), engine.generate, threading.Event()

    def waiting(request):
        if request.schema is None:
            yield from generate(request)
            return
        deciding.set()
        service.stop(request.id)
        yield Finished("cancelled", 1, 0, 0, 0.0, 0.0)

    monkeypatch.setattr(engine, "generate", waiting)
    pending = service.ask(thread, QUESTION)
    live = service.live(pending.id)
    assert deciding.wait(SECONDS) and (live is None or live.wait_done(SECONDS).done)
    answer = library.message(thread, pending.id)
    assert answer.status == "stopped" and not engine.requests


def test_files_of_another_thread_are_not_found(service_with, documents, engine, library, thread):
    other = library.create("Other").id
    taken_in(documents, other, "garden.txt", GARDEN)
    ask(service_with("always"), library, thread, "Water the tomatoes every morning?")
    assert "tomatoes every morning, the beans" not in sent(engine)


class WebSearch:
    """A tool of another kind, which tells what it found in a shape of its own."""

    name = "web_search"
    found = ({"url": "https://example.org/rye", "title": "Rye", "snippet": "Rye is a grass."},)

    def schema(self, limit):
        return function(self.name, f"Searches the web, {limit} results at most.", {})

    def run(self, reach, arguments):
        text = written({"citations": list(self.found)})
        return Outcome(written({"content": [{"type": "text", "text": text}]}))


def test_what_any_tool_tells_is_a_source_of_the_answer(service_with, thread, monkeypatch):
    monkeypatch.setitem(TOOLS, "web_search", WebSearch())
    lookup = service_with("auto").lookup
    within = Within(lookup.reach(thread, ()))
    known, text = lookup.call(Retrieved(), within, "web_search", {}, by="model")
    again, _ = lookup.call(known, within, "web_search", {}, by="model")
    both, _ = lookup.call(again, within, "retrieve", {"query": QUESTION}, by="model")
    assert known.text.endswith("[Rye, https://example.org/rye]\nRye is a grass.")
    assert again.excerpts == known.excerpts and "Rye is a grass." in text
    kept = both.record([])["passages"]
    assert [(each["n"], each["file"], each.get("address")) for each in kept] == [
        (1, "Rye", "https://example.org/rye"),
        (2, "contract.txt", None),
    ]
    assert [each["tool"] for each in both.trace] == ["web_search", "web_search", "retrieve"]
