"""An answer in rounds: words, calls of tools, what they found, and words again."""

import threading

import pytest

from tests.documents.searching import WordModel
from tests.documents.taking_in import CONTRACT, SECONDS, open_documents
from tests.generation.with_files import QUESTION, ask, service_over, taken_in
from webapp.chat.rounds import AGAIN, MOST_ROUNDS
from webapp.documents.service import DocumentOptions
from webapp.engines.script import Fail, Reply, Say, Wait
from webapp.generation.replies import ONLY_CALLS

RETRIEVE = (
    '<tool_call>\n{"name": "retrieve", "arguments": {"query": "days of notice"}}\n</tool_call>'
)
LIST = '<tool_call>\n{"name": "list_attachments", "arguments": {}}\n</tool_call>'


@pytest.fixture
def documents(tmp_path):
    options = DocumentOptions(use="embeddings")
    documents = open_documents(tmp_path / "data", WordModel(), options=options)
    yield documents
    documents.close()


@pytest.fixture
def service(documents, engine, library, clock):
    service = service_over(documents, engine, library, clock, file_search="model")
    yield service
    service.close()


@pytest.fixture
def thread(library, documents):
    thread = library.create("A title").id
    taken_in(documents, thread, "contract.txt", CONTRACT)
    return thread


def usage(answer):
    return answer.metadata["usage"]


def test_a_call_is_answered_and_the_words_go_on(service, engine, library, thread):
    engine.queue(f"Let me look.\n{RETRIEVE}")
    engine.queue("It is 90 days.")
    answer = ask(service, library, thread, QUESTION)
    assert answer.text == "Let me look.\n\nIt is 90 days."
    asked, called, result = engine.requests[-1].turns
    assert asked.content == QUESTION
    assert called.role == "assistant" and called.content == f"Let me look.\n{RETRIEVE}"
    assert result.role == "tool" and CONTRACT.strip()[:20] in result.content
    [traced] = usage(answer)["trace"]
    assert (traced["tool"], traced["by"]) == ("retrieve", "model")
    assert usage(answer)["passages"][0]["file"] == "contract.txt"
    assert usage(answer)["output_tokens"] > 4


def test_what_was_sent_shows_the_calls_and_their_results(service, engine, library, thread):
    engine.queue(RETRIEVE)
    engine.queue("90 days.")
    answer = ask(service, library, thread, QUESTION)
    roles = [part["role"] for part in usage(answer)["sent"]]
    assert roles == ["user", "assistant", "tool"]


def test_two_calls_in_one_reply_get_a_result_each(service, engine, library, thread):
    engine.queue(f"{LIST}\n{RETRIEVE}")
    engine.queue("90 days.")
    answer = ask(service, library, thread, QUESTION)
    assert [turn.role for turn in engine.requests[-1].turns] == [
        "user",
        "assistant",
        "tool",
        "tool",
    ]
    assert [each["tool"] for each in usage(answer)["trace"]] == ["list_attachments", "retrieve"]


def test_equal_calls_are_answered_once(service, engine, library, thread):
    for reply in (RETRIEVE, RETRIEVE, "90 days."):
        engine.queue(reply)
    answer = ask(service, library, thread, QUESTION)
    assert AGAIN in engine.requests[-1].turns[-1].content
    assert [bool(each["hits"]) for each in usage(answer)["trace"]] == [True, False]
    assert len(usage(answer)["passages"]) == 1


def test_an_unknown_tool_and_a_broken_call_get_a_sentence(service, engine, library, thread):
    engine.queue('<tool_call>\n{"name": "dance", "arguments": {}}\n</tool_call>')
    engine.queue('<tool_call>\n{"name": "retrieve", "arguments": {"query"\n</tool_call>')
    engine.queue("I cannot.")
    answer = ask(service, library, thread, QUESTION)
    assert answer.text == "I cannot."
    assert all(each["note"] for each in usage(answer)["trace"]) and len(usage(answer)["trace"]) == 2


def test_after_six_rounds_the_model_must_answer(service, engine, library, thread):
    for number in range(MOST_ROUNDS + 1):
        engine.queue(RETRIEVE.replace("days of notice", f"days {number}"))
    pending = service.ask(thread, QUESTION)
    live = service.live(pending.id)
    assert live is None or live.wait_done(SECONDS).done
    answer = library.message(thread, pending.id)
    assert (answer.status, answer.metadata["error"]) == ("error", ONLY_CALLS)
    assert len(engine.requests) == MOST_ROUNDS + 1


def test_the_words_of_a_failing_round_are_kept(service, engine, library, thread):
    engine.queue(f"Let me look. {RETRIEVE}")
    engine.queue(Reply((Say("It is"), Fail())))
    pending = service.ask(thread, QUESTION)
    live = service.live(pending.id)
    assert live is None or live.wait_done(SECONDS).done
    answer = library.message(thread, pending.id)
    assert answer.status == "error" and answer.text == "Let me look.\n\nIt is"


def test_a_stop_while_a_call_is_written_ends_the_answer(service, engine, library, thread):
    held = threading.Event()
    engine.queue(Reply((Say(RETRIEVE[:30]), Wait(held), Say(RETRIEVE[30:]))))
    pending = service.ask(thread, QUESTION)
    live = service.live(pending.id)
    service.stop(pending.id)
    held.set()
    assert live.wait_done(SECONDS).done
    assert library.message(thread, pending.id).status == "stopped"
    assert len(engine.requests) <= 1


def test_a_model_that_has_no_files_writes_what_it_likes(service, engine, library):
    engine.queue(RETRIEVE)
    answer = ask(service, library, library.create("No files").id, QUESTION)
    assert answer.text == RETRIEVE
