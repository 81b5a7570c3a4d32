"""One holder at a time, whatever happens to it."""

import subprocess
import sys
import threading

import pytest

from webapp.engines.file_lock import holding

HOLD = """
import sys
from pathlib import Path
from webapp.engines.file_lock import holding
def refuse(): raise SystemExit("taken")
with holding(Path(sys.argv[1]), refuse):
    print("held", flush=True)
    sys.stdin.read()
"""


class Taken(Exception):
    pass


def refuse():
    raise Taken


def hold_elsewhere(path):
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "held\n"
    return child


def end(child):
    child.kill()
    child.wait()
    child.stdin.close()
    child.stdout.close()


def test_another_process_is_kept_out_until_the_holder_is_killed(tmp_path):
    child = hold_elsewhere(tmp_path / "lock")
    try:
        with pytest.raises(Taken), holding(tmp_path / "lock", refuse):
            pass
    finally:
        end(child)
    with holding(tmp_path / "lock", refuse):
        pass


def test_another_thread_waits_its_turn(tmp_path):
    waiting, order = threading.Event(), []

    def second():
        with holding(tmp_path / "lock", waiting.set):
            order.append("second")

    with holding(tmp_path / "lock", refuse):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_two_locks_do_not_meet(tmp_path):
    with holding(tmp_path / "one", refuse), holding(tmp_path / "two", refuse):
        pass
