import json

import pytest

from tests.engines.engine_contract import ask
from tests.engines.openai_servers import CUT, DONE, PlayServer, chunk, head, refusal, whole
from webapp.engines.openai_address import address_of
from webapp.engines.openai_asking import Asking
from webapp.engines.openai_link import Patience
from webapp.engines.openai_refusal import Refused
from webapp.engines.openai_server import Server
from webapp.errors import EngineFailed

TOO_LONG = (
    "This model's maximum context length is 1000 tokens. However, you requested {} tokens "
    "({} in the messages, {} in the completion)."
)


@pytest.fixture
def scripted():
    server = PlayServer()
    yield server
    server.end()


class Asker:
    def __init__(self, scripted):
        self.server = Server(address_of(scripted.url), "", Patience(2, 10, 10, (0.0,)))
        self.asking = Asking(self.server)
        self.opened = 0

    def __call__(self, max_tokens=600):
        link = self.server.link()
        try:
            request = ask("Hi", max_tokens=max_tokens)
            events = self.asking.ask(request, link, self.server.asked("m"), 77, self._note)
            return list(events)
        finally:
            link.close()

    def _note(self):
        self.opened += 1


@pytest.fixture
def asker(scripted):
    return Asker(scripted)


def bodies(scripted):
    return [body for _, _, body in scripted.requests]


def test_a_field_that_a_server_refuses_is_left_out_from_then_on(scripted, asker):
    scripted.play(refusal(400, "Unknown argument: stream_options"))
    scripted.play(head(), DONE)
    scripted.play(head(), DONE)
    assert asker() == asker() == ["[DONE]"]
    assert ["stream_options" in body for body in bodies(scripted)] == [True, False, False]
    assert asker.opened == 2


def test_what_did_not_help_is_not_kept(scripted, asker):
    scripted.play(refusal(400, "No."))
    scripted.play(refusal(400, "No."))
    with pytest.raises(Refused):
        asker()
    scripted.play(head(), DONE)
    asker()
    assert "stream_options" in bodies(scripted)[-1]


def test_room_for_the_answer_shrinks_to_what_the_prompt_leaves(scripted, asker):
    scripted.play(refusal(400, TOO_LONG.format(1500, 900, 600)))
    scripted.play(head(), DONE)
    assert asker() == ["[DONE]"]
    assert [body["max_tokens"] for body in bodies(scripted)] == [600, 100]
    assert asker.asking.context_tokens == 1000


def test_a_prompt_that_does_not_fit_is_told_with_the_servers_numbers(scripted, asker):
    scripted.play(refusal(400, TOO_LONG.format(3000, 2400, 600)))
    with pytest.raises(EngineFailed, match=r"has 2,400 tokens, .* holds 1,000\."):
        asker()
    assert asker.asking.context_tokens == 1000
    scripted.play(refusal(400, "The context window is exceeded."))
    with pytest.raises(EngineFailed, match="has 77 tokens"):
        asker()


@pytest.mark.parametrize("end", [(), (CUT,), (b": ping\n\n", CUT)], ids=["end", "cut", "ping"])
def test_a_server_that_hangs_up_without_a_word_is_asked_why(scripted, asker, end):
    scripted.play(head(), *end)
    scripted.play(refusal(400, TOO_LONG.format(3000, 2400, 600)))
    with pytest.raises(EngineFailed, match=r"has 2,400 tokens"):
        asker()
    assert (bodies(scripted)[1].get("stream"), bodies(scripted)[1]["max_tokens"]) == (None, 1)


def test_a_server_that_has_nothing_to_say_about_it_broke_off(scripted, asker):
    scripted.play(head(), CUT)
    scripted.play(whole({"choices": []}))
    with pytest.raises(EngineFailed, match=r"without an answer|broke"):
        asker()


def test_a_reply_in_one_piece_is_one_event(scripted, asker):
    said = {"choices": [{"message": {"content": "All."}}]}
    scripted.play(whole(said))
    assert [json.loads(data) for data in asker()] == [said]
    assert asker.opened == 1


def test_a_web_page_is_no_answer(scripted, asker):
    scripted.play(head(200, "text/html"), b"<html>Log in")
    with pytest.raises(EngineFailed, match="not an OpenAI-compatible API"):
        asker()


def test_after_the_first_word_nothing_is_asked_again(scripted, asker):
    scripted.play(head(), chunk("Hi"), CUT)
    with pytest.raises(EngineFailed):
        asker()
    assert len(scripted.requests) == 1
