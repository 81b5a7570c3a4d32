"""The model looks into earlier threads of the same person, if it may."""

import pytest

from tests.documents.searching import WordModel
from tests.documents.taking_in import CONTRACT, open_documents
from tests.engines.real_models import chat_model, embed_model
from tests.generation.with_files import QUESTION, ask, service_over, taken_in
from webapp.chat.assistant import Assistant
from webapp.chat.messages import new_message
from webapp.documents.service import DocumentOptions
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.generation import recall
from webapp.generation.recall import HEADING, MOST, QUOTED, SHARED, Past, Recall
from webapp.search.finder import Finder
from webapp.threads.observed import StoredSource

DOG = "My dog is called Bello."
CALL = '<tool_call>\n{"name": "recall", "arguments": {"query": "name of the dog"}}\n</tool_call>'
ASKED = "How is my dog called? /recall"


@pytest.fixture
def finder(tmp_path, store):
    finder = Finder(tmp_path / "data" / "cache", StoredSource(store, tmp_path / "data"))
    yield finder
    finder.close()


@pytest.fixture
def past(finder, library):
    """Switched on, of a person whose threads are all but those of which the title says so."""
    found = Recall(finder, library, on=True)
    found.kin = lambda thread: (
        None if thread.title == "Shared" else lambda other: other.title != "Ben's"
    )
    return found


@pytest.fixture
def documents(tmp_path):
    options = DocumentOptions(use="embeddings")
    documents = open_documents(tmp_path / "data", WordModel(), options=options)
    yield documents
    documents.close()


@pytest.fixture
def service(documents, engine, library, clock, past):
    service = service_over(documents, engine, library, clock, file_search="auto", recall=past)
    yield service
    service.close()


@pytest.fixture
def told(store, library, finder):
    """Says a text in a new thread; the ids of both."""

    def tell(text, title="Dogs", role="user"):
        thread = library.create(title).id
        said = new_message(
            id=f"said-{thread}",
            thread_id=thread,
            role=role,
            text=text,
            created_at=1_767_225_600_000,
        )
        store.create_message(thread, said)
        finder.indexer.rebuild()
        return thread, said.id

    return tell


@pytest.fixture
def thread(library):
    return library.create("A title").id


def usage(answer):
    return answer.metadata["usage"]


def sent(engine):
    return engine.requests[-1].turns[-1].content


def test_a_call_gets_a_passage_that_the_answer_keeps(service, engine, library, thread, told):
    where, said = told(DOG)
    engine.queue(CALL)
    engine.queue("It is called Bello.")
    answer = ask(service, library, thread, "How is my dog called?")
    result = engine.requests[-1].turns[-1]
    assert result.role == "tool" and DOG in result.content and QUOTED in result.content
    [passage] = usage(answer)["passages"]
    assert (passage["thread"], passage["id"], passage["text"]) == (where, said, DOG)
    assert (passage["file"], passage["place"]) == ("Dogs", "Question, 1 January 2026")
    [traced] = usage(answer)["trace"]
    assert (traced["tool"], traced["by"]) == ("recall", "model")
    assert traced["hits"][0]["file"] == "Dogs"


def test_a_model_that_does_not_call_is_asked_and_gets_it_with_the_question(
    service, engine, library, thread, told
):
    told(f"{DOG}\nHe is two.")
    answer = ask(service, library, thread, ASKED)
    assert sent(engine).startswith(HEADING) and sent(engine).endswith(ASKED)
    assert "[Dogs, Question, 1 January 2026]\n> My dog is called Bello.\n> He is two." in sent(
        engine
    )
    assert [(each["tool"], each["by"]) for each in usage(answer)["trace"]] == [
        ("recall", "decision")
    ]
    assert library.path(thread)[0].text == ASKED


def test_what_the_model_does_not_want_is_not_looked_up(service, engine, library, thread, told):
    told(DOG)
    answer = ask(service, library, thread, "How is my dog called?")
    assert sent(engine) == "How is my dog called?"
    assert not {"trace", "passages"} & set(usage(answer))


@pytest.mark.parametrize("why", ["off", "shared"])
def test_there_is_no_such_tool_when_it_is_off_and_where_others_read(
    service, engine, library, thread, told, past, why
):
    told(DOG)
    past.on = why != "off"
    thread = library.create("Shared").id if why == "shared" else thread
    engine.queue(CALL)
    answer = ask(service, library, thread, ASKED)
    assert sent(engine) == ASKED and not engine.asides
    assert answer.text == CALL and len(engine.requests) == 1
    assert not {"trace", "passages"} & set(usage(answer))


def test_others_threads_and_the_present_one_are_left_out(service, engine, library, thread, told):
    told("The dog is called Hasso, said Ben.", title="Ben's")
    ask(service, library, thread, "The dog of the neighbours is called Rex.")
    answer = ask(service, library, thread, ASKED)
    assert sent(engine) == ASKED
    [traced] = usage(answer)["trace"]
    assert traced["hits"] == [] and "passages" not in usage(answer)


def test_a_thread_that_is_shared_meanwhile_gets_a_sentence(past, thread, told):
    told(DOG)
    within = past.within(thread)
    past.kin = lambda _: None
    outcome = within.call({"query": "dog"})
    assert SHARED in outcome.text and outcome.problem and not outcome.excerpts


def test_it_is_offered_beside_the_tools_for_files(service, documents, library, thread, past):
    service.lookup._tool_test._passed[service.lookup._tool_test._model()] = True

    def names():
        return [each["function"]["name"] for each in service.lookup.offered(thread)]

    assert names() == ["recall"]
    taken_in(documents, thread, "contract.txt", CONTRACT)
    assert names() == ["list_attachments", "retrieve", "get_chunks", "recall"]
    past.on = False
    assert names() == ["list_attachments", "retrieve", "get_chunks"]


def test_what_it_costs_is_counted(service, engine, library, thread, past):
    service.lookup._tool_test._passed[service.lookup._tool_test._model()] = True
    with_it = service.window.outlook(thread, draft="Hello").ledger.tools
    past.on = False
    assert with_it > 50 and service.window.outlook(thread, draft="Hello").ledger.tools == 0


def test_files_and_earlier_threads_can_both_help(service, engine, documents, library, thread, told):
    taken_in(documents, thread, "contract.txt", CONTRACT)
    told("I signed the contract about days of notice in Lisbon.")
    answer = ask(service, library, thread, f"{QUESTION} /recall /retrieve contract notice")
    assert CONTRACT.strip() in sent(engine) and "> I signed the contract" in sent(engine)
    assert [each["file"] for each in usage(answer)["passages"]] == ["contract.txt", "Dogs"]


def test_passages_are_few_and_short(past, thread, told):
    for number in range(MOST + 3):
        told(f"Lisbon trip {number}: {'the harbour wall ' * 200}")
    outcome = past.within(thread).call({"query": "Lisbon trip", "top_k": 99})
    assert len(outcome.excerpts) == MOST
    assert all(len(each.text) <= 600 for each in outcome.excerpts)


def test_a_call_without_words_gets_a_sentence(past, thread):
    assert "query" in past.within(thread).call({}).problem


def test_a_thread_that_is_not_there_sees_nothing(past):
    assert past.within("nowhere") is None
    assert Past(past, "nowhere").call({"query": "dog"}).problem


def test_nobody_has_other_threads_until_it_is_known_who_is_who(finder, library, thread):
    assert Recall(finder, library, on=True).within(thread) is None


def test_the_description_says_when_to_use_it():
    about = recall.schema()["function"]
    assert "Use it only" in about["description"]
    assert about["parameters"]["properties"]["top_k"]["maximum"] == MOST


@pytest.fixture(scope="module")
def real():
    engine = LlamaCppEngine(chat_model(), embed_model(), context_tokens=2048, threads=0)
    yield engine
    engine.close()


@pytest.mark.model
def test_the_starter_model_looks_and_answers_with_what_was_said(
    real, documents, library, clock, past, told
):
    where, said = told("By the way, my dog is called Zebedee and he is afraid of thunder.")
    told("The tide comes in twice a day, for the moon pulls at the sea.", "Tides", "assistant")
    service = service_over(documents, real, library, clock, file_search="auto", recall=past)
    calm = Assistant({"id": "calm", "name": "Calm", "parameters": {"temperature": 0}})
    try:
        thread = library.create("New", assistant=calm).id
        answer = ask(service, library, thread, "What is the name of my dog?")
        assert "Zebedee" in answer.text
        [passage] = usage(answer)["passages"]
        assert (passage["thread"], passage["id"]) == (where, said)
        answer = ask(service, library, thread, "What is 7 times 8?")
        assert "passages" not in usage(answer) and "56" in answer.text
    finally:
        service.close()
