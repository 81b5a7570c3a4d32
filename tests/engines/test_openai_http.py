"""The HTTP engine over servers of the test's own, and over the one of llama-cpp-python."""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from tests.engines.engine_contract import EngineContract, Listener, ask, said
from tests.engines.openai_servers import (
    CUT,
    DONE,
    ModelServer,
    PlayServer,
    chunk,
    head,
    refusal,
    sse,
    whole,
)
from tests.engines.real_models import chat_model, embed_model
from webapp.engines.engine import Finished, Reading, Request, Text, Turn
from webapp.engines.openai_http import OpenAIHttpEngine
from webapp.engines.openai_link import Patience
from webapp.errors import BadSetting, EngineFailed

KEY = "sk-very-secret"
AT_ONCE = 1.0  # the promise is 0.2 seconds; the rest is for a machine with other work
SHORT = Patience(connect=2, first=20, between=20, retries=(0.01, 0.02))


def engine_at(server, model="small", **more):
    url = server if isinstance(server, str) else server.url
    options = {"context_tokens": 4096, "patience": SHORT, "key": KEY, **more}
    return OpenAIHttpEngine(url, model, "embedder", **options)


@pytest.fixture
def server():
    server = PlayServer()
    yield server
    server.end()


@pytest.fixture
def engine(server):
    engine = engine_at(server)
    yield engine
    engine.close()


def told(engine, **more):
    with pytest.raises(EngineFailed) as error:
        list(engine.generate(ask("Hi", **more)))
    assert error.value.do
    assert KEY not in str(error.value)
    return str(error.value)


class TestOpenAIHttp(EngineContract):
    SLOW_TO_READ = "/wait"
    SLOW_TO_WRITE = "/slow /long"
    ECHO = "/echo {}"

    @pytest.fixture
    def engine(self):
        server = ModelServer()
        engine = engine_at(server, context_tokens=8192)
        yield engine
        engine.close()
        server.end()

    @pytest.fixture
    def new_engine(self):
        return lambda: engine_at("http://127.0.0.1:9")


def test_an_answer_streams_and_the_servers_counts_are_told(server, engine):
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    server.play(head(), chunk("Hel"), chunk("lo"), chunk(reason="stop"), chunk(usage=usage), DONE)
    *rest, last = engine.generate(ask("Hi"))
    assert rest == [Reading(0, 5, 0), Reading(5, 5, 0), Text("Hel", 1), Text("lo", 2)]
    assert (last.reason, last.prompt_tokens, last.output_tokens) == ("stop", 9, 2)
    path, headers, body = server.requests[-1]
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body["messages"] == [{"role": "user", "content": "Hi"}]
    assert (body["model"], body["max_tokens"], body["stream"]) == ("small", 6, True)


def test_without_a_name_the_first_model_that_is_listed_answers(server):
    engine = engine_at(server, model="")
    server.play(head(), chunk("Yes"), DONE)
    assert said(engine.generate(ask("Hi"))) == "Yes"
    assert server.requests[-1][2]["model"] == "small"
    assert engine.models() == ("small", "large")
    engine.close()


def test_a_server_without_models_is_told(server):
    engine = engine_at(server, model="")
    server.play(whole({"data": []}), path="/v1/models")
    assert "lists no model" in told(engine)
    engine.close()


def seen(engine):
    """What it says of itself once its look at the server is over."""
    first = engine.describe()
    engine._watch.join(10)
    return first, engine.describe()


def test_it_describes_itself_without_waiting(server):
    go_on = threading.Event()
    server.play(go_on, whole({"data": [{"id": "big", "max_model_len": 9000}]}), path="/v1/models")
    engine = engine_at(server, model="")
    first = engine.describe()
    assert (first.state, first.model, first.context_tokens) == ("loading", "", 4096)
    go_on.set()
    _, info = seen(engine)
    assert (info.engine, info.state, info.model) == ("openai_http", "ready", "big")
    assert info.context_tokens == 9000
    engine.close()
    assert engine.describe().state == "unloaded"


def test_a_server_that_is_not_there_is_described_as_failed_with_the_reason():
    engine = engine_at("http://127.0.0.1:9")
    _, info = seen(engine)
    assert info.state == "failed"
    assert "Nothing listens at http://127.0.0.1:9/v1" in info.problem
    engine.close()


def test_a_server_without_a_list_is_ready_when_the_model_is_named(server):
    server.play(refusal(404, "no such page"), path="/v1/models")
    engine = engine_at(server)
    assert seen(engine)[1].state == "ready"
    engine.close()


def test_a_refused_key_is_described_and_never_shown(server):
    server.play(refusal(401, f"Incorrect API key: {KEY}"), path="/v1/models")
    engine = engine_at(server)
    _, info = seen(engine)
    assert info.state == "failed"
    assert "does not accept the API key" in info.problem
    assert KEY not in info.problem + repr(engine) + repr(vars(engine))
    engine.close()


def test_a_server_that_went_down_and_came_up_answers_again(server):
    port = server.server_port
    engine = engine_at(server)
    server.end()
    assert "Nothing listens" in told(engine)
    assert engine.describe().state == "failed"
    again = PlayServer(port)
    again.play(head(), chunk("Back"), DONE)
    assert said(engine.generate(ask("Hi"))) == "Back"
    assert engine.describe().state == "ready"
    engine.close()
    again.end()
    server.ending.set()


def test_a_cut_connection_keeps_the_words_and_is_told(server, engine):
    go_on = threading.Event()
    server.play(head(), chunk("Some words"), go_on, CUT)
    listener = Listener(engine, ask("Hi"))
    listener.wait_for(Text)
    go_on.set()
    assert said(listener.end()) == "Some words"
    assert "broke in the middle" in listener.error.what
    assert len(server.requests) == 1, "never asked again after the first text"
    assert not any(isinstance(event, Finished) for event in listener.events)


def test_an_end_without_a_reason_is_told_too(server, engine):
    server.play(head(), chunk("Some words"))
    listener = Listener(engine, ask("Hi"))
    assert said(listener.end()) == "Some words"
    assert "ended in the middle" in listener.error.what


def test_an_error_in_the_stream_keeps_the_words_and_is_told(server, engine):
    server.play(head(), chunk("Some words"), sse({"error": {"message": f"Out of memory {KEY}."}}))
    listener = Listener(engine, ask("Hi"))
    assert said(listener.end()) == "Some words"
    assert "broke off the answer: Out of memory •••" in str(listener.error)


def test_thinking_that_is_sent_apart_stands_in_tags(server, engine):
    server.play(head(), chunk(reasoning_content="Hm."), chunk("Yes."), chunk(reason="stop"), DONE)
    assert said(engine.generate(ask("Hi"))) == "<think>\nHm.\n</think>\n\nYes."


@pytest.mark.parametrize(
    "steps", [(), (head(),), (head(), b": ping\n\n")], ids=["no head", "head", "ping"]
)
def test_stop_is_heard_within_200_ms_whatever_is_waited_for(server, engine, steps):
    never = server.ending
    server.play(*steps, never)
    listener = Listener(engine, ask("Hi", id="slow"))
    assert server.seen.get(timeout=10)
    begun = time.monotonic()
    engine.cancel("slow")
    assert listener.end()[-1].reason == "cancelled"
    assert time.monotonic() - begun < AT_ONCE


def test_stop_is_heard_while_connecting():
    """A full queue of connections: the system takes no more, and connecting waits."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        where = deaf.getsockname()
        fillers = [socket.socket() for _ in range(3)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(where)
        engine = engine_at(f"http://127.0.0.1:{where[1]}")
        listener = Listener(engine, ask("Hi", id="slow"))
        begun = time.monotonic()
        engine.cancel("slow")
        assert listener.end()[-1].reason == "cancelled"
        assert time.monotonic() - begun < AT_ONCE
        engine.close()
        for filler in fillers:
            filler.close()


def test_closing_ends_an_answer_as_stopped_and_keeps_the_words(server, engine):
    server.play(head(), chunk("Some words"), server.ending)
    listener = Listener(engine, ask("Hi"))
    listener.wait_for(Text)
    engine.close()
    assert said(listener.end()) == "Some words"
    assert listener.events[-1].reason == "cancelled"


def test_a_server_that_falls_silent_is_told(server):
    engine = engine_at(server, patience=Patience(2, first=20, between=0.05, retries=()))
    server.play(head(), chunk("Some words"), server.ending)
    listener = Listener(engine, ask("Hi"))
    assert said(listener.end()) == "Some words"
    assert "fell silent" in listener.error.what
    engine.close()


def test_a_server_that_never_begins_is_told(server):
    engine = engine_at(server, patience=Patience(2, first=0.05, retries=()))
    server.play(server.ending)
    assert "did not answer (waited 0.05 seconds)" in told(engine)
    engine.close()


def test_a_model_that_calls_a_tool_nobody_offered_is_told(server, engine):
    call = {"index": 0, "id": "1", "function": {"name": "look", "arguments": "{}"}}
    server.play(head(), chunk(tool_calls=[call]), chunk(reason="tool_calls"), DONE)
    assert "called the tool “look”" in told(engine)


def test_prefixes_stand_before_questions_and_passages(server):
    engine = engine_at(server, query_prefix="query: ", passage_prefix="passage: ")
    for kind in ("query", "passage"):
        server.play(whole({"data": [{"index": 0, "embedding": [3, 4]}]}), path="/v1/embeddings")
        assert engine.embed([" words "], kind) == [[0.6, 0.8]]
        assert server.requests[-1][2] == {"model": "embedder", "input": [f"{kind}: words"]}
    engine.close()


def test_a_server_without_embeddings_and_an_engine_without_a_model_for_them_say_so(server, engine):
    server.play(head(404, "text/html"), b"<h1>Not Found</h1>", path="/v1/embeddings")
    with pytest.raises(EngineFailed, match="gives no embeddings"):
        engine.embed(["words"], "query")
    without = OpenAIHttpEngine(server.url, "small", context_tokens=4096)
    with pytest.raises(EngineFailed, match="No embedding model"):
        without.embed(["words"], "query")
    without.close()


@pytest.mark.parametrize("key", ["two words", "line\nend", "schlüssel"])
def test_a_key_that_is_none_is_refused_and_not_shown(key):
    with pytest.raises(BadSetting) as error:
        OpenAIHttpEngine("http://127.0.0.1:9", key=key, context_tokens=1)
    assert key not in str(error.value)


# --- the server that llama-cpp-python ships ---


class RealServer:
    """`python -m llama_cpp.server` on a free port, ready to answer."""

    def __init__(self, tmp_path, port=0):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        little = {"n_ctx": 128, "n_batch": 128, "n_threads": 2}
        both = [
            {"model": str(chat_model()), "model_alias": "chat", "n_ctx": 512, "n_threads": 2},
            {"model": str(embed_model()), "model_alias": "e5", "embedding": True, **little},
        ]
        config = tmp_path / "server.json"
        config.write_text(json.dumps({"host": "127.0.0.1", "port": self.port, "models": both}))
        command = [sys.executable, "-m", "llama_cpp.server", "--config_file", str(config)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "GOMP_SPINCOUNT": "1000"},
        )
        self._lines = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        while "Uvicorn running" not in self._lines.get(timeout=60):
            pass

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8", "replace"))
        self._lines.put("Uvicorn running? No: it ended.")

    def end(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(10)
        self._reader.join(10)
        self.process.stdout.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.model
def test_the_server_of_llama_cpp_python_is_spoken_to_in_all_ways(tmp_path):
    """One test, because starting that server takes longer than all that is asked of it."""
    server = RealServer(tmp_path)
    engine = OpenAIHttpEngine(server.url, "", "e5", context_tokens=512, patience=SHORT)
    try:
        speaks_with(engine)
        is_held_to_a_schema(engine)
        stops_in_mid_answer(engine)
        tells_of_an_overflow(engine)
        server = is_killed_and_comes_back(engine, server, tmp_path)
        embeds(engine)
    finally:
        engine.close()
        server.end()


def speaks_with(engine):
    *events, last = engine.generate(
        ask('print("漢字🦊") prints what? Only the output.', max_tokens=12)
    )
    assert "漢字🦊" in said(events)
    assert len([event for event in events if isinstance(event, Text)]) > 2
    assert last.reason in ("stop", "length")
    assert 0 < last.output_tokens <= 12
    assert engine.describe().model == "chat"
    assert engine.describe().state == "ready"


def is_held_to_a_schema(engine):
    form = {"type": "object", "properties": {"mood": {"enum": ["good", "bad"]}}}
    schema = {**form, "required": ["mood"], "additionalProperties": False}
    reply = said(engine.generate(ask("How are you?", max_tokens=40, schema=schema)))
    assert json.loads(reply)["mood"] in ("good", "bad")


SLOW = "Write all whole numbers from one to one hundred as words."


def stops_in_mid_answer(engine):
    listener = Listener(engine, ask(SLOW, id="slow", max_tokens=300))
    listener.wait_for(Text)
    begun = time.monotonic()
    engine.cancel("slow")
    assert listener.end()[-1].reason == "cancelled"
    assert time.monotonic() - begun < AT_ONCE
    assert said(engine.generate(ask(SLOW, max_tokens=1))), "it is free for the next"


def tells_of_an_overflow(engine):
    with pytest.raises(EngineFailed) as told:
        list(engine.generate(Request("long", (Turn("user", "word " * 900),))))
    assert "but the model's context holds 512" in told.value.what
    assert engine.describe().context_tokens == 512


def embeds(engine):
    cat, kitten, tax = engine.embed(["A cat", "A kitten", "Tax law of 1990"], "passage")
    assert len(cat) == 384
    assert dot(cat, kitten) > dot(cat, tax)
    with pytest.raises(EngineFailed, match=r"Text 1 has about [\d,]+ tokens"):
        engine.embed(["short", "many words " * 80], "passage")


def is_killed_and_comes_back(engine, server, tmp_path):
    listener = Listener(engine, ask(SLOW, max_tokens=300))
    listener.wait_for(Text)
    server.end()
    assert said(listener.end())
    assert "broke in the middle" in listener.error.what
    assert "Nothing listens" in told(engine)
    server = RealServer(tmp_path, server.port)
    assert said(engine.generate(ask("Name a colour.", max_tokens=1)))
    return server


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))
