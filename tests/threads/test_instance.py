import os
import subprocess
import sys

import pytest

from webapp.errors import AlreadyRunning, StorageFailed
from webapp.threads import instance
from webapp.threads.instance import InstanceLock, maintainer

HOLDER = """
import sys
from pathlib import Path
from webapp.threads.instance import InstanceLock
lock = InstanceLock(Path(sys.argv[1]))
lock.announce("http://127.0.0.1:5100")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the directory."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_is_refused_and_told_who_is_first(holder, tmp_path):
    with pytest.raises(AlreadyRunning) as refused:
        InstanceLock(tmp_path)
    assert str(holder.pid) in refused.value.what
    assert "http://127.0.0.1:5100" in refused.value.what
    assert refused.value.do


def test_the_lock_dies_with_its_process(holder, tmp_path):
    holder.kill()
    holder.wait()
    InstanceLock(tmp_path).release()


def test_a_released_lock_can_be_taken_again(tmp_path):
    first = InstanceLock(tmp_path / "new" / "data")
    with pytest.raises(AlreadyRunning, match=str(os.getpid())):
        InstanceLock(tmp_path / "new" / "data")
    first.release()
    first.release()
    InstanceLock(tmp_path / "new" / "data").release()


def test_a_stale_or_damaged_file_holds_nobody_off(tmp_path):
    (tmp_path / "instance.lock").write_bytes(b"\xff{")
    lock = InstanceLock(tmp_path)
    (tmp_path / "instance.lock").write_bytes(b"\xff{")
    with pytest.raises(AlreadyRunning, match="another process"):
        InstanceLock(tmp_path)
    lock.release()


def test_a_directory_that_cannot_be_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed):
        InstanceLock(tmp_path / "file")


def test_who_holds_a_directory_can_be_asked_and_asking_holds_nothing(holder, tmp_path):
    said = instance.holder(tmp_path)
    assert str(holder.pid) in said
    assert "http://127.0.0.1:5100" in said
    holder.kill()
    holder.wait()
    assert instance.holder(tmp_path) == ""
    InstanceLock(tmp_path).release()


def test_a_directory_that_nobody_ever_held_is_held_by_nobody(tmp_path):
    assert instance.holder(tmp_path) == ""
    assert list(tmp_path.iterdir()) == []


def test_who_holds_a_directory_without_serving_it_is_told(tmp_path):
    assert maintainer(tmp_path) == ""
    lock = InstanceLock(tmp_path)
    assert maintainer(tmp_path) == f"Process {os.getpid()} of Strata is at work on {tmp_path}."
    lock.announce("http://127.0.0.1:5100")
    assert maintainer(tmp_path) == ""
    lock.release()
    assert maintainer(tmp_path) == ""
