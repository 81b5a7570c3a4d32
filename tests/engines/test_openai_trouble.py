import http.client
import socket
import ssl

import pytest

from webapp.chat import overflow
from webapp.engines.openai_refusal import Overflow, Refusal
from webapp.engines.openai_trouble import Asked, refused, too_long, unreachable

KEY = "sk-secret"
ASKED = Asked("http://box/v1", "m", KEY, ("m", "other"), "box")


@pytest.mark.parametrize(
    ("refusal", "what", "do"),
    [
        (Refusal(401), "does not accept the API key", "STRATA_API_KEY"),
        (Refusal(403, "Not you."), "does not allow this: Not you.", "may do"),
        (Refusal(404, "model 'm' not found"), "has no model “m”", "It lists other"),
        (Refusal(400, "no", "model_not_found"), "has no model “m”", "It lists other"),
        (Refusal(404), "no OpenAI-compatible API", "base_url"),
        (Refusal(413), "as long as this", "Shorten"),
        (Refusal(429, retry_after="20"), "no more requests now", "Ask again in 20 seconds."),
        (Refusal(429, retry_after="Mon, 1 Jan"), "no more", "Ask again after Mon, 1 Jan."),
        (Refusal(429, "Quota used up."), "now: Quota used up.", "a little later"),
        (Refusal(302, target="http://new"), "points to another", "base_url to http://new"),
        (Refusal(503, "Loading model"), "is not ready (503): Loading model.", "Wait"),
        (Refusal(500), "failed (500).", "log"),
        (Refusal(400, "bad seed"), "refuses the request (400): bad seed.", "settings"),
    ],
)
def test_a_refusal_is_a_sentence_with_what_to_do(refusal, what, do):
    error = refused(refusal, ASKED)
    assert what in error.what
    assert "http://box/v1" in error.what
    assert do in error.do
    assert error.refusal is refusal


def test_a_server_that_wants_a_key_is_told_apart_from_one_that_refuses_it():
    assert "asks for an API key" in refused(Refusal(401), Asked("http://box/v1")).what


def test_the_key_stands_in_no_sentence():
    for status in (400, 403, 429, 500, 503):
        assert KEY not in str(refused(Refusal(status, f"Bad key {KEY}!"), ASKED))
    assert KEY not in str(refused(Refusal(302, target=f"http://x/{KEY}"), ASKED))
    assert KEY not in repr(ASKED)


def test_a_long_list_of_models_is_cut():
    names = tuple(f"model-{n}" for n in range(300))
    error = refused(Refusal(404, code="model_not_found"), Asked("p", "m", "", names))
    assert len(error.do) < 200
    assert "and others" in error.do


def certificate_error():
    error = ssl.SSLCertVerificationError("bad")
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "stage", "what"),
    [
        (TimeoutError(), "connect", "cannot be reached (waited 2 seconds)"),
        (TimeoutError(), "first", "did not answer (waited 2 seconds)"),
        (TimeoutError(), "between", "fell silent (waited 2 seconds)"),
        (ConnectionResetError(), "between", "broke in the middle"),
        (http.client.IncompleteRead(b""), "first", "without an answer"),
        (http.client.RemoteDisconnected(), "first", "without an answer"),
        (http.client.BadStatusLine("SSH-2.0"), "first", "does not speak HTTP"),
        (socket.gaierror(), "connect", "no machine called “box”"),
        (UnicodeError(), "connect", "no machine called “box”"),
        (certificate_error(), "connect", "cannot be trusted: self-signed certificate."),
        (ssl.SSLError(), "connect", "does not speak TLS"),
        (ConnectionRefusedError(), "connect", "Nothing listens at http://box/v1."),
        (OSError(113, "No route to host"), "connect", "cannot be reached (No route to host)"),
    ],
)
def test_a_failed_connection_is_a_sentence_with_what_to_do(error, stage, what):
    told = unreachable(error, stage, 2.0, ASKED)
    assert what in told.what
    assert told.do


def test_a_conversation_too_long_is_told_with_both_numbers():
    error = too_long(12_026, 4096, Refusal(400, overflow=Overflow(12_026, 4096)))
    assert "12,026 tokens" in error.what
    assert "context holds 4,096." in error.what
    assert overflow.overflow(error.what) == overflow.Overflow(12_026, 4096)
    vague = too_long(9, 0, Refusal(400)).what
    assert vague == "The conversation has 9 tokens, which exceeds the model's context."
    assert overflow.overflow(vague) == overflow.Overflow(9, 0)
