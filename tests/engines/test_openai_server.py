import contextlib
import socket
import ssl
import threading

import pytest

from tests.engines.openai_servers import CUT, PlayServer, head, refusal, sse, whole
from webapp.engines.openai_address import address_of
from webapp.engines.openai_link import Aborted, Patience
from webapp.engines.openai_refusal import Refused
from webapp.engines.openai_server import Server, encoded
from webapp.engines.openai_trouble import Unreachable
from webapp.errors import EngineFailed

QUICK = Patience(connect=2, first=10, between=10, retries=(0.0, 0.0))


@pytest.fixture
def scripted():
    server = PlayServer()
    yield server
    server.end()


def fetch(url, path="/models", patience=QUICK):
    server = Server(address_of(url), "sk-1", patience)
    return server.fetch(server.link(), "POST", path, {}, server.asked("m"))


def test_a_reply_is_read_whole(scripted):
    scripted.play(whole({"a": "ü"}), path="/v1/models")
    assert fetch(scripted.url) == {"a": "ü"}


def test_a_connection_that_fails_is_tried_again(scripted):
    scripted.play(CUT, path="/v1/models")
    scripted.play(b"", path="/v1/models")
    scripted.play(whole([1]), path="/v1/models")
    assert fetch(scripted.url) == [1]
    assert len(scripted.requests) == 3


def test_after_the_last_try_it_is_told(scripted):
    for _ in range(3):
        scripted.play(CUT, path="/v1/models")
    with pytest.raises(Unreachable, match="without an answer"):
        fetch(scripted.url)
    with pytest.raises(Unreachable, match="Nothing listens"):
        fetch("http://127.0.0.1:9")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
def test_a_refusal_is_not_tried_again(scripted, status):
    scripted.play(refusal(status, "No."), path="/v1/models")
    with pytest.raises(Refused):
        fetch(scripted.url)
    assert len(scripted.requests) == 1


def test_hints_of_a_refusal_reach_the_sentence(scripted):
    scripted.play(whole({}, 429, Retry_After="7"), path="/v1/models")
    with pytest.raises(Refused, match="in 7 seconds"):
        fetch(scripted.url)
    scripted.play(head(301, Location="https://other/v1"), path="/v1/models")
    with pytest.raises(Refused, match="https://other/v1"):
        fetch(scripted.url)


def test_a_web_page_is_no_api(scripted):
    scripted.play(head(200, "text/html"), b"<html>Welcome", path="/v1/models")
    with pytest.raises(EngineFailed, match="not an OpenAI-compatible API"):
        fetch(scripted.url)


def test_an_error_with_a_good_status_is_refused(scripted):
    scripted.play(whole({"error": {"message": "Overloaded."}}), path="/v1/models")
    with pytest.raises(Refused, match="Overloaded"):
        fetch(scripted.url)


def test_a_reply_that_breaks_off_is_told(scripted):
    scripted.play(head(Content_Length="100"), b"{", CUT, path="/v1/models")
    with pytest.raises(EngineFailed):
        fetch(scripted.url)


def test_what_speaks_no_http_and_no_tls_is_told():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        where = f"127.0.0.1:{listening.getsockname()[1]}"

        def speak():
            for _ in range(2):
                taken, _ = listening.accept()
                with taken, contextlib.suppress(OSError):
                    taken.recv(100)
                    taken.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
                    taken.shutdown(socket.SHUT_WR)
                    while taken.recv(1000):
                        pass

        speaking = threading.Thread(target=speak)
        speaking.start()
        with pytest.raises(Unreachable, match="does not speak HTTP"):
            fetch(f"http://{where}")
        with pytest.raises(Unreachable, match="does not speak TLS") as told:
            fetch(f"https://{where}")
        speaking.join(10)
    assert "http://" in told.value.do
    assert isinstance(told.value.__cause__, ssl.SSLError)


def test_a_name_that_cannot_be_a_name_is_told():
    with pytest.raises(Unreachable, match="no machine called"):
        fetch(f"http://{'x' * 70}.example")


def test_events_come_one_by_one_over_chunks_of_any_size(scripted):
    sent = sse({"ü": "🦊"}) + b": ping\r\n\r\ndata: [DONE]\n\n"
    pieces = [b"%x\r\n%s\r\n" % (1, sent[n : n + 1]) for n in range(len(sent))]
    scripted.play(head(Transfer_Encoding="chunked"), *pieces, b"0\r\n\r\n", path="/v1/chat")
    server = Server(address_of(scripted.url), "", QUICK)
    link = server.link()
    response = server.open(link, "POST", "/chat", {}, server.asked())
    events = list(server.events(link, response, server.asked()))
    link.close()
    assert events == ['{"\\u00fc": "\\ud83e\\udd8a"}', "[DONE]"]


def test_an_event_without_end_is_given_up(scripted, monkeypatch):
    monkeypatch.setattr("webapp.engines.openai_sse.LONGEST_EVENT", 1000)
    scripted.play(head(), b"data: " + b"x" * 5000, path="/v1/chat")
    server = Server(address_of(scripted.url), "", QUICK)
    link = server.link()
    response = server.open(link, "POST", "/chat", {}, server.asked())
    with pytest.raises(EngineFailed, match="not an OpenAI-compatible API"):
        list(server.events(link, response, server.asked()))
    link.close()


def test_an_abort_is_no_fault_of_the_server(scripted):
    scripted.play(scripted.ending, path="/v1/models")
    server = Server(address_of(scripted.url), "", QUICK)
    link = server.link()
    threading.Timer(0.02, link.abort).start()
    with pytest.raises(Aborted):
        server.fetch(link, "GET", "/models", None, server.asked())
    assert len(scripted.requests) <= 1


def test_texts_are_sent_as_ascii_without_halves_of_characters():
    assert encoded({"a": ["é\ud800\0"]}) == b'{"a": ["\\u00e9\\ufffd\\u0000"]}'
