"""A server elsewhere is tried before it is used."""

import pytest

from tests.engines.openai_servers import ModelServer
from webapp.engines.openai_http import OpenAIHttpEngine
from webapp.engines.openai_probe import probe


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.end()


def found(url, model="", embedder=""):
    engine = OpenAIHttpEngine(url, model, embedder, context_tokens=4096)
    try:
        return probe(engine, embedder=embedder)
    finally:
        engine.close()


def test_a_server_that_does_all_of_it_is_told_so(server):
    findings = found(server.url, embedder="vectors")
    assert all(each.good for each in findings)
    words = " ".join(each.words for each in findings)
    for expected in ("lists small, large", "small answers", "8,192 tokens", "vectors embeds"):
        assert expected in words


def test_without_an_embedder_it_says_what_that_means(server):
    last = found(server.url)[-1]
    assert not last.good
    assert "by words only" in last.words


def test_where_nobody_answers_that_is_all_there_is_to_say():
    [only] = found("http://127.0.0.1:9/v1")
    assert not only.good
    assert only.words.endswith(".")
