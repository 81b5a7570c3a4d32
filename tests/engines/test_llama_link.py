import queue
import sys

import pytest

from webapp.engines.llama_link import Link

PATIENCE = 30

ECHO = """
import sys
from webapp.engines.wire import receive, send
while (frame := receive(sys.stdin.buffer)) is not None:
    if "exit" in frame:
        sys.stderr.write("the last words\\n")
        sys.exit(frame["exit"])
    send(sys.stdout.buffer, frame)
"""
DEAF = (
    "import sys, threading; sys.stdout.write('ready'); sys.stdout.close(); threading.Event().wait()"
)


class Told:
    def __init__(self):
        self.frames = queue.SimpleQueue()
        self.ends = queue.SimpleQueue()

    def link(self, program):
        return Link(
            (sys.executable, "-P", "-c", program),
            lambda link, frame: self.frames.put(frame),
            lambda link, code: self.ends.put(code),
        )


@pytest.fixture
def told():
    return Told()


def test_frames_go_there_and_come_back(told):
    link = told.link(ECHO)
    frames = [{"n": 1}, {"text": "\ud800\0" * 100_000}, {}]
    for frame in frames:
        link.send(frame)
    assert [told.frames.get(timeout=PATIENCE) for _ in frames] == frames
    link.close()
    assert told.ends.get(timeout=PATIENCE) == 0
    assert told.ends.empty()


def test_the_end_is_told_with_its_code_after_what_was_heard(told):
    link = told.link(ECHO)
    link.send({"n": 1})
    link.send({"exit": 7})
    assert told.ends.get(timeout=PATIENCE) == 7
    assert told.frames.get_nowait() == {"n": 1}
    link.send({"n": 2})
    link.close()


def test_a_killed_child_ends_with_its_signal(told):
    link = told.link(ECHO)
    link.kill()
    assert told.ends.get(timeout=PATIENCE) == -9
    link.close()


def test_what_a_child_says_on_standard_error_goes_to_the_log(told, caplog):
    caplog.set_level("INFO")
    link = told.link(ECHO)
    link.send({"exit": 0})
    told.ends.get(timeout=PATIENCE)
    link.close()
    assert "the last words" in caplog.text


def test_a_child_that_talks_nonsense_and_does_not_end_is_ended(told):
    link = told.link(DEAF)
    assert told.ends.get(timeout=PATIENCE) == -9
    link.close()
