import io
import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from tests.documents.parsing.made import CASES, SAMPLES
from webapp.documents.parsing.child import Outgoing, outcome
from webapp.documents.parsing.limits import Limits
from webapp.documents.parsing.lines import Assembly

COMMAND = [sys.executable, "-m", "webapp.documents.parsing.child"]


def order(path, limits=None, name="x.txt"):
    return {"path": str(path), "name": name, "limits": asdict(limits or Limits())}


def run(order, **more):
    return subprocess.run(
        COMMAND,
        input=json.dumps(order).encode() + b"\n" if order else b"",
        capture_output=True,
        timeout=60,
        check=False,
        **more,
    )


@pytest.fixture
def child():
    """A child whose standard input stays open, as the server's does."""
    started = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    yield started
    started.kill()
    started.communicate()


def told(child, order):
    child.stdin.write(json.dumps(order).encode() + b"\n")
    child.stdin.flush()
    return [json.loads(line) for line in child.stdout]


def test_the_program_tells_a_document_and_ends(child):
    lines = told(child, order(CASES / "greek-utf8.txt"))
    assembly = Assembly(100)
    assert [assembly.add(line) for line in lines][-1].text == "κ = 3.2 µm, α < β"
    assert child.wait(20) == 0


def test_progress_comes_before_the_document(child):
    lines = told(child, order(SAMPLES / "plan.pptx", name="plan.pptx"))
    assert [line["kind"] for line in lines] == ["progress"] * 3 + ["text", "places", "end"]
    assert lines[2] == {"kind": "progress", "done": 3, "total": 3}


def test_without_a_server_it_ends():
    assert run(None).returncode == 0
    assert run(order(CASES / "scan.pdf")).returncode == 0


def test_whatever_a_parser_throws_is_a_sentence(tmp_path, capfd):
    (line,) = outcome(order(tmp_path / "missing"), Outgoing(io.BytesIO()))
    assert line["code"] == "damaged"
    assert "FileNotFoundError" in capfd.readouterr().err
