"""A program that takes a file in and is gone at a given moment, as by `kill -9` or a power cut."""

import os
import signal
import threading

from tests.documents.taking_in import CONTRACT, HeldModel, add, open_documents
from tests.threads.disk_faults import Disk, death

NAME = "contract.txt"
THREAD = "t1"


def at_stage(data, stage, acknowledge):
    """Killed when the file has reached `stage`, or the embedding that follows it."""
    model = HeldModel()
    documents = open_documents(data, model, new_id=lambda: "dying")
    scope = documents.thread(THREAD)
    if stage == "uploading":
        documents.add(scope, NAME, _Deadly(), len(CONTRACT))
    if stage != "ready":
        model.gate.clear()
    watcher = threading.Thread(target=_watch, args=(documents, scope, {stage, "embedding"}))
    if stage == "ready":
        watcher = threading.Thread(target=_watch, args=(documents, scope, {"ready"}))
    watcher.start()
    add(documents, scope, NAME, CONTRACT)
    acknowledge.send(len(CONTRACT))
    watcher.join()


def at_call(data, number, acknowledge):
    """Gone at call number `number` of those that change something on the disk."""
    documents = open_documents(data, new_id=lambda: "dying")
    scope = documents.thread(THREAD)
    with Disk(number - 1, death).watching() as disk:
        add(documents, scope, NAME, CONTRACT)
        acknowledge.send(len(disk.calls))
        documents.wait_over(scope, 60)
    acknowledge.send(len(disk.calls))
    os._exit(0)


def _watch(documents, scope, wanted):
    now = documents.now(scope)
    while not any(state.id == "dying" and state.stage in wanted for state in now.files):
        now = documents.wait(scope, now.version, 30)
    os.kill(os.getpid(), signal.SIGKILL)


class _Deadly:
    """Half of an upload, and then the end of the server."""

    def __init__(self):
        self._parts = [CONTRACT.encode()[:20]]

    def read(self, size):
        if not self._parts:
            os.kill(os.getpid(), signal.SIGKILL)
        return self._parts.pop()
