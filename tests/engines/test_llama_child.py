"""The child as a program: what comes out of its pipe, and when it ends."""

import json
import os
import select
import signal
import subprocess
import sys

import pytest

from tests.engines.real_models import chat_model, embed_model
from webapp.engines.llama_link import COMMAND
from webapp.engines.wire import receive, send

PATIENCE = 60

# A server that starts a child, lets it write, and gives word when it does.
SERVER = """
import json, subprocess, sys
from webapp.engines.wire import receive, send
command, settings, request, held = json.loads(sys.argv[1])
child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[held])
send(child.stdin, settings)
send(child.stdin, request)
while receive(child.stdout)["kind"] != "Text": pass
print("writing", flush=True)
child.wait()
"""
REQUEST = {
    "task": "generate",
    "job": 1,
    "id": "r",
    "turns": [{"role": "user", "content": "Count to one thousand."}],
    "max_tokens": 200,
    "sampling": {"temperature": 0.0},
    "stop": [],
    "schema": None,
    "tools": [],
}


def settings(**changes):
    facts = {"embed_model": "", "context_tokens": 256, "threads": 2}
    facts |= {"kv_folder": "", "kv_bytes": 0}
    return facts | changes


class Child:
    def __init__(self, **changes):
        self.program = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.send(settings(**changes))

    def send(self, frame):
        send(self.program.stdin, frame)

    def hear(self):
        return receive(self.program.stdout)

    def hear_last(self, job):
        while (frame := self.hear()).get("job") != job or not frame["last"]:
            pass
        return frame

    def end(self):
        self.program.stdin.close()
        code = self.program.wait(PATIENCE)
        self.program.stdout.close()
        return code


def test_a_model_that_cannot_be_loaded_is_told_and_ends_it(tmp_path):
    (tmp_path / "odd.gguf").write_bytes(b"GGUF" + bytes(100))
    child = Child(chat_model=str(tmp_path / "odd.gguf"))
    frame = child.hear()
    assert frame["kind"] == "unloadable"
    assert "odd.gguf" in frame["what"]
    assert child.hear() is None
    assert child.end() == 0


def test_a_server_that_leaves_before_it_says_anything_ends_it():
    child = subprocess.Popen(COMMAND, stdin=subprocess.PIPE)
    child.stdin.close()
    assert child.wait(PATIENCE) == 0


@pytest.mark.model
def test_it_counts_while_it_writes_and_stops_only_the_job_that_is_meant():
    child = Child(chat_model=str(chat_model()))
    assert child.hear() == {"kind": "ready", "context_tokens": 256}
    child.send(REQUEST)
    while child.hear()["kind"] != "Text":
        pass
    child.send({"task": "cancel", "job": 99})
    child.send({"task": "count", "job": 2, "turns": REQUEST["turns"], "tools": []})
    frame = child.hear_last(2)
    assert (frame["kind"], frame["total"] > 10) == ("count", True)
    child.send({"task": "cancel", "job": 1})
    assert child.hear_last(1)["reason"] == "cancelled"
    assert child.end() == 0


@pytest.mark.model
def test_one_faulty_task_does_not_end_it():
    child = Child(chat_model=str(chat_model()), embed_model=str(embed_model()))
    child.send({**REQUEST, "turns": [{"role": "user"}]})
    frame = child.hear_last(1)
    assert (frame["kind"], frame["error"]) == ("failed", "EngineFailed")
    child.send({"task": "embed", "job": 2, "text": "query: words", "index": 0})
    assert len(child.hear_last(2)["vector"]) == 384
    assert child.end() == 0


@pytest.mark.model
def test_an_interrupt_from_the_terminal_is_the_servers_matter():
    child = Child(chat_model=str(chat_model()))
    child.hear()
    child.program.send_signal(signal.SIGINT)
    child.send({"task": "count", "job": 1, "turns": REQUEST["turns"], "tools": []})
    assert child.hear_last(1)["kind"] == "count"
    assert child.end() == 0


@pytest.mark.model
def test_it_ends_in_mid_answer_when_the_server_is_killed():
    ended, held = os.pipe()
    orders = [COMMAND, settings(chat_model=str(chat_model())), REQUEST, held]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, json.dumps(orders)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[held],
    )
    os.close(held)
    with server.stdout as out, os.fdopen(ended, "rb") as ended:
        assert out.readline() == b"writing\n"
        server.kill()
        server.wait(PATIENCE)
        assert select.select([ended], [], [], 5)[0], "somebody still holds the pipe"
        assert ended.read() == b""
