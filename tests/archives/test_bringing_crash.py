"""A machine that stops in the middle of an import: what is there is whole, and the rest comes with
the next try."""

import io
import os
import random
import signal
import subprocess
import sys
import time
import zipfile

import pytest

from tests.archives.lives import LEASE, lived, put_file
from webapp.archives.everything import everything
from webapp.archives.stock import Stock
from webapp.documents import files
from webapp.documents.scope import thread_scope
from webapp.threads.backend import choose, open_store
from webapp.threads.database import FILE, Database

THREADS = 60


@pytest.fixture
def packed(store, library, data, tmp_path):
    """A zip of many threads, each with a file."""
    for number in range(THREADS):
        put_file(thread_scope(data, f"t{number}"), data=LEASE * (number + 1))
        store.create_thread(*lived(f"t{number}"))
    stock = Stock(library.threads(), library.acts.whole, data)
    pieces = everything(stock, "json", with_files=True, heard=lambda now: None)
    (tmp_path / "in.zip").write_bytes(b"".join(pieces))
    assert len(zipfile.ZipFile(io.BytesIO((tmp_path / "in.zip").read_bytes())).namelist()) > THREADS
    return tmp_path / "in.zip"


def bring(packed, root):
    command = [sys.executable, "-m", "webapp", "import", str(packed), "--data", str(root)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_what_came_before_a_crash_is_whole_and_the_rest_comes_later(
    packed, tmp_path, library, clock, kind
):
    root, dice = tmp_path / "new", random.Random(kind)
    root.mkdir()
    if kind == "sqlite":
        Database(root / FILE)
        choose(root, "sqlite")
    kills = 0
    for _ in range(4):
        running = bring(packed, root)
        before, least = time.monotonic(), dice.random() * 12
        while time.monotonic() - before < 20 and running.poll() is None:
            if len(list(root.glob("threads/*/files"))) > least:
                running.send_signal(signal.SIGKILL)
                break
            time.sleep(0.002)
        running.communicate()
        kills += running.returncode == -signal.SIGKILL
        store = open_store(root, clock)
        for row in store.list_threads():
            assert list(store.read(row.id).messages) == library.acts.whole(row.id)[1]
            assert files.original(thread_scope(root, row.id), "f1").stat().st_size % len(LEASE) == 0
        store.close()
    assert kills
    last = bring(packed, root)
    told = last.communicate()[0].decode()
    assert last.returncode == 0, told
    store = open_store(root, clock)
    assert {row.id for row in store.list_threads()} == {f"t{n}" for n in range(THREADS)}
    for number in range(THREADS):
        scope = thread_scope(root, f"t{number}")
        assert files.original(scope, "f1").read_bytes() == LEASE * (number + 1)
        assert [each.id for each in files.load(scope)] == ["f1"]
        assert list(store.read(f"t{number}").messages) == library.acts.whole(f"t{number}")[1]
    store.close()
