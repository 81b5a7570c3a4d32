"""Killed at any moment, the next start goes on: no half file is found, none is lost.

STRATA_KILLS=1000 dies at every single call to the disk instead of at some."""

import os
import shutil
import signal
import sys

import pytest

from tests.documents import dying
from tests.documents.dying import NAME, THREAD
from tests.documents.taking_in import CONTRACT, GARDEN, HeldModel, add, found, open_documents
from tests.documents.taking_in import SECONDS as PATIENCE
from tests.threads import crash_writer
from tests.threads.disk_faults import DEAD

ABOUT_CONTRACT = "ninety days of notice to end this contract"
ABOUT_GARDEN = "water the tomatoes every morning"
CALLS_TRIED = 4


@pytest.fixture(scope="module")
def processes():
    return crash_writer.processes("tests.documents.dying")


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    """A data directory with one file that was ready long before."""
    data = tmp_path_factory.mktemp("before") / "data"
    documents = open_documents(data)
    scope = documents.thread("another")
    add(documents, scope, "garden.txt", GARDEN)
    documents.wait_over(scope, PATIENCE)
    assert documents.wait_idle(PATIENCE)
    documents.close()
    return data


def die(processes, target, data, moment):
    """What was acknowledged before the end, and how it ended."""
    receiving, sending = processes.Pipe(duplex=False)
    process = processes.Process(target=target, args=(data, moment, sending))
    process.start()
    sending.close()
    process.join(PATIENCE)
    acknowledged = []
    try:
        while True:
            acknowledged.append(receiving.recv())
    except EOFError:
        return acknowledged, process.exitcode


def check_goes_on(data, acknowledged, *, ready=False):
    model = HeldModel()
    model.gate.clear()
    documents = open_documents(data, model)
    scope = documents.thread(THREAD)
    documents.resume()
    states = {state.name: state for state in documents.status(scope)}
    assert found(documents, documents.thread("another"), ABOUT_GARDEN) == ["garden.txt"]
    if acknowledged:
        assert NAME in states
    if NAME in states:
        assert states[NAME].is_ready or not ready
        is_found = found(documents, scope, ABOUT_CONTRACT) == [NAME]
        # With vectors in the cache it can become ready meanwhile, never the other way round.
        assert is_found or not states[NAME].is_ready
        assert documents.state(scope, states[NAME].id).is_ready or not is_found
        model.gate.set()
        now = documents.wait_over(scope, PATIENCE)
        assert [state.stage for state in now.files] == ["ready"]
        assert documents.original(scope, states[NAME].id).read_text() == CONTRACT
        assert found(documents, scope, ABOUT_CONTRACT) == [NAME]
    assert documents._ingest.wait(PATIENCE)
    facts = documents._tables.facts(scope.table)
    assert (facts.rows if facts else 0) == len(states)
    assert len(list(scope.folder.glob("*"))) == len(states)
    model.gate.set()
    documents.close()


@pytest.mark.parametrize(
    "stage", ["uploading", "waiting", "reading", "cutting", "embedding", "ready"]
)
def test_killed_at_a_stage(processes, before, tmp_path, stage):
    data = tmp_path / "data"
    shutil.copytree(before, data)
    acknowledged, exitcode = die(processes, dying.at_stage, data, stage)
    assert exitcode == -signal.SIGKILL
    check_goes_on(data, acknowledged, ready=stage == "ready")


def test_dead_at_a_call_to_the_disk(processes, before, tmp_path):
    shutil.copytree(before, tmp_path / "whole")
    (_, calls), exitcode = die(processes, dying.at_call, tmp_path / "whole", 10_000)
    assert exitcode == 0
    tried = min(int(os.environ.get("STRATA_KILLS", CALLS_TRIED)), calls)
    for number in sorted({1 + each * calls // tried for each in range(tried)}):
        data = tmp_path / str(number)
        shutil.copytree(before, data)
        acknowledged, exitcode = die(processes, dying.at_call, data, number)
        assert exitcode == DEAD, f"call {number} of {calls}"
        check_goes_on(data, acknowledged)
    sys.stdout.write(f"dead at {tried} of {calls} calls\n")
