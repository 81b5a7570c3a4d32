import sys
import threading
from pathlib import Path

import pytest

from tests.engines.engine_contract import until
from webapp.engines.jobs import Job, Urgency
from webapp.engines.llama_host import Host
from webapp.errors import Conflict, EngineFailed, ModelFileMissing, StrataError

PATIENCE = 30

# A child that loads and works as its orders say; "hold" works until it is cancelled.
CHILD = """
import os, sys
from webapp.engines.wire import receive, send
def tell(frame): send(sys.stdout.buffer, frame)
orders = receive(sys.stdin.buffer)["orders"]
if orders == "die": os.abort()
if orders == "refuse":
    tell({"kind": "unloadable", "what": "No model.", "do": "Fetch one."})
    sys.exit()
tell({"kind": "ready", "context_tokens": 7})
held = None
while (frame := receive(sys.stdin.buffer)) is not None:
    if frame["task"] == "cancel":
        if orders != "deaf": tell({"job": held, "kind": "stopped", "last": True})
    elif frame["task"] == "kill": os.abort()
    elif frame["task"] == "hold":
        held = frame["job"]
        tell({"job": held, "kind": "begun", "last": False})
    else:
        tell({"job": frame["job"], "kind": "done", "last": True})
"""


class Orders:
    """What the next child is told to be; counts how many there were."""

    def __init__(self, *orders):
        self.orders = list(orders)
        self.children = 0

    def __call__(self):
        self.children += 1
        order = self.orders.pop(0) if len(self.orders) > 1 else self.orders[0]
        if isinstance(order, StrataError):
            raise order
        return {"orders": order}


@pytest.fixture
def host_of():
    hosts = []

    def make(*orders, unload_after_seconds=0.0):
        orders = Orders(*orders)
        command = (sys.executable, "-P", "-c", CHILD)
        host = Host(orders, command, unload_after_seconds=unload_after_seconds)
        hosts.append(host)
        return host, orders

    yield make
    for host in hosts:
        host.close()


def submitted(host, task, urgency=Urgency.ANSWER):
    job = Job({"task": task}, urgency)
    host.submit(job)
    return job


def heard(job):
    reply = job.inbox.get(timeout=PATIENCE)
    if isinstance(reply, StrataError):
        raise reply
    return reply["kind"]


def test_nothing_is_started_before_it_is_needed(host_of):
    host, orders = host_of("work")
    assert (host.state, host.pid, orders.children) == ("unloaded", None, 0)
    assert heard(submitted(host, "x")) == "done"
    assert (host.state, host.facts["context_tokens"], orders.children) == ("ready", 7, 1)


def test_one_job_at_a_time_and_the_most_urgent_next(host_of):
    host, _ = host_of("work")
    holding = submitted(host, "hold")
    assert heard(holding) == "begun"
    passage = submitted(host, "hold", Urgency.PASSAGE)
    answer = submitted(host, "hold")
    assert heard(submitted(host, "x", None)) == "done", "what needs no turn does not wait"
    host.withdraw(holding)
    assert heard(holding) == "stopped"
    assert heard(answer) == "begun"
    assert passage.inbox.empty()
    host.withdraw(answer)
    assert heard(passage) == "begun"


def test_a_waiting_job_that_is_withdrawn_ends_at_once(host_of):
    host, _ = host_of("work")
    holding = submitted(host, "hold")
    assert heard(holding) == "begun"
    waiting = submitted(host, "x")
    host.withdraw(waiting)
    assert heard(waiting) == "cancelled"
    host.withdraw(waiting)
    assert waiting.inbox.empty()


def test_a_crash_takes_only_the_job_at_work_and_the_next_child_does_the_rest(host_of):
    host, orders = host_of("work")
    holding = submitted(host, "hold")
    assert heard(holding) == "begun"
    waiting = submitted(host, "x")
    crash(host)
    with pytest.raises(EngineFailed, match=r"unexpectedly \(signal 9, SIGKILL\)") as told:
        heard(holding)
    assert "Ask again" in told.value.do
    assert heard(waiting) == "done"
    assert orders.children == 2


def test_a_job_that_a_dead_child_never_read_is_done_by_the_next(host_of):
    host, orders = host_of("work")
    assert heard(submitted(host, "x")) == "done"
    crash(host)
    jobs = [submitted(host, "x"), submitted(host, "x", None)]
    assert [heard(job) for job in jobs] == ["done", "done"]
    assert orders.children == 2


def test_a_job_that_ends_every_child_is_tried_twice_and_no_more(host_of):
    host, orders = host_of("work")
    killing, waiting = submitted(host, "kill"), submitted(host, "x")
    with pytest.raises(EngineFailed, match="unexpectedly"):
        heard(killing)
    assert heard(waiting) == "done"
    assert orders.children == 3


def test_a_crash_after_a_stop_is_just_a_stop(host_of):
    host, _ = host_of("deaf")
    holding = submitted(host, "hold")
    assert heard(holding) == "begun"
    host.withdraw(holding)
    crash(host)
    assert heard(holding) == "cancelled"


def test_a_child_that_does_not_hear_a_stop_is_ended_by_force(host_of):
    host, _ = host_of("deaf", "work")
    holding = submitted(host, "hold")
    assert heard(holding) == "begun"
    host.withdraw(holding)
    assert heard(holding) == "cancelled"
    assert heard(submitted(host, "x")) == "done"


def test_three_deaths_while_loading_are_enough(host_of):
    host, orders = host_of("die")
    with pytest.raises(EngineFailed, match=r"3 times while loading.*SIGABRT"):
        heard(submitted(host, "x"))
    assert (host.state, orders.children) == ("failed", 3)
    assert "3 times" in host.problem
    with pytest.raises(EngineFailed, match="3 times"):
        submitted(host, "x")
    assert orders.children == 3


def test_two_deaths_while_loading_are_not(host_of):
    host, orders = host_of("die", "die", "work")
    assert heard(submitted(host, "x")) == "done"
    assert (host.state, host.problem, orders.children) == ("ready", "", 3)


def test_a_model_that_is_refused_fails_what_waits_and_is_looked_at_anew(host_of):
    host, _ = host_of("refuse", "work")
    with pytest.raises(ModelFileMissing, match="No model"):
        heard(submitted(host, "x"))
    assert (host.state, host.problem) == ("failed", "No model. Fetch one.")
    assert heard(submitted(host, "x")) == "done"
    assert host.problem == ""


def test_a_model_that_is_gone_is_told_before_a_child_is_started(host_of):
    host, _ = host_of(ModelFileMissing("Gone.", do="Fetch it."))
    with pytest.raises(ModelFileMissing, match="Gone"):
        host.start()
    assert (host.state, host.problem, host.pid) == ("failed", "Gone. Fetch it.", None)


def test_a_program_that_cannot_be_started_is_told(tmp_path):
    host = Host(dict, (str(tmp_path / "nothing"),))
    with pytest.raises(EngineFailed, match="cannot be started"):
        host.start()
    assert host.state == "failed"


def test_a_child_nobody_asks_is_ended_and_the_next_question_starts_another(host_of):
    host, orders = host_of("work", unload_after_seconds=0.2)
    assert heard(submitted(host, "x")) == "done"
    first = host.pid
    until(lambda: host.pid is None)
    assert (host.state, host.problem) == ("unloaded", "")
    assert not Path(f"/proc/{first}").exists(), "its memory is free by then"
    assert heard(submitted(host, "x")) == "done"
    assert orders.children == 2
    until(lambda: host.state == "unloaded")


def test_a_child_at_work_is_not_idle_however_long_it_takes(host_of):
    host, orders = host_of("work", unload_after_seconds=0.1)
    holding = submitted(host, "hold")
    assert heard(holding) == "begun"
    looks, host._look_later = [], lambda *look: looks.append(look)
    until(lambda: looks)
    assert host.state == "ready"
    host._unload_if_idle(host._link)
    assert (host.state, orders.children) == ("ready", 1)
    host.withdraw(holding)
    assert heard(holding) == "stopped"


def test_a_look_meant_for_an_earlier_child_ends_no_other(host_of):
    host, _ = host_of("work", unload_after_seconds=60.0)
    assert heard(submitted(host, "x")) == "done"
    first = host._link
    crash(host)
    until(lambda: host._link not in (None, first))
    assert heard(submitted(host, "x")) == "done"
    host._last_use = -1e9
    host._unload_if_idle(first)
    assert host.state == "ready"


def test_closing_ends_everything_and_is_final(host_of):
    host, _ = host_of("work")
    holding, waiting = submitted(host, "hold"), submitted(host, "x")
    threads = threading.active_count()
    host.close()
    assert heard_last(holding) == heard_last(waiting) == "cancelled"
    assert threading.active_count() < threads
    with pytest.raises(EngineFailed, match="closed"):
        host.start()


def heard_last(job):
    while (kind := heard(job)) == "begun":
        pass
    return kind


def crash(host):
    host._link.kill()


def test_a_model_is_unloaded_when_asked_and_loads_again_with_the_next_job(host_of):
    host, orders = host_of("work")
    host.unload()
    assert submitted(host, "work").inbox.get(timeout=PATIENCE)["kind"] == "done"
    host.unload()
    assert (host.state, host.pid) == ("unloaded", None)
    assert submitted(host, "work").inbox.get(timeout=PATIENCE)["kind"] == "done"
    assert orders.children == 2


def test_a_model_at_work_is_not_unloaded(host_of):
    host, _ = host_of("work")
    held = submitted(host, "hold")
    assert held.inbox.get(timeout=PATIENCE)["kind"] == "begun"
    with pytest.raises(Conflict):
        host.unload()
    host.withdraw(held)
    assert held.inbox.get(timeout=PATIENCE)["last"]
