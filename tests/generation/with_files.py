"""What tests of answers from files share."""

from tests.documents.taking_in import SECONDS, add
from webapp.generation.service import GenerationService

QUESTION = "How many days of notice does the contract have?"


def service_over(documents, engine, library, clock, **choices):
    """Files are always searched unless a test chooses otherwise: the scripted model decides by
    commands."""
    choices.setdefault("file_search", "always")
    return GenerationService(engine, library, clock_ms=clock, documents=documents, **choices)


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
