"""A shared Strata under ten thousand random requests and socket messages, by its owner, by who may
write, by who may see nothing, and by who is not signed in: none ends in a fault or hangs, and the
server is as well afterwards as before.

A few hundred with every check; `STRATA_FUZZ=10000` for all, `STRATA_FUZZ_SEED` for those of an
earlier run. They come from several threads at once, so that a seed says what is sent, not in which
order it arrives.
"""

import contextlib
import os
import random
import re
import socket
import sys
import threading
import time
from collections import Counter

import pytest

from tests.web.fuzz_calls import Calls, Seen
from tests.web.real_server import Client, answer_in, read_all
from tests.web.shared_process import HAS_MORE_ADDRESSES, Person, SharedProcess

COUNT = int(os.environ.get("STRATA_FUZZ", "400"))
SEED = int(os.environ.get("STRATA_FUZZ_SEED", "0")) or random.randrange(1, 10**6)
WORKERS = 3
MOST_GROWTH = 1.2
# Until the parts that are made when they are first needed are there, and the first answers.
WARM_UP = max(200, COUNT // 5)
# A sample thread waits 20 for its file, which may stand behind others.
ANSWER_SECONDS = 30
LISTENS_SECONDS = 0.5
QUIET_SECONDS = 60


@pytest.fixture
def shared(tmp_path):
    shared = SharedProcess(tmp_path)
    yield shared
    shared.stop()


class Crowd:
    """Four kinds of callers, of whom three come in again when they were thrown out."""

    def __init__(self, shared):
        self.people = {name: Person(shared.port, name) for name in ("Owner", "Writer", "Other")}
        own, lasting = shared.codes
        for person in self.people.values():
            assert person.join(own if person.name == "Owner" else lasting)
        self._client = Client(shared.port)
        self._lock = threading.Lock()

    def token(self, who):
        """Empty for who is not signed in."""
        return self.people[who].token if who in self.people else ""

    def come_back(self, who):
        with self._lock:
            person = self.people[who]
            if person.is_in() or person.sign_in() or who == "Owner":
                return
            page = self._client.ask("/share/codes", "POST", token=self.token("Owner"), form={})
            if code := re.search(r"[0-9A-Z]{4}-[0-9A-Z]{4}", page.text):
                person.join(code[0])


class Run:
    """Sends calls until there are no more, from several threads; keeps what went wrong."""

    def __init__(self, shared, crowd, rules, leave_out):
        self._client, self._crowd, self._rules = Client(shared.port), crowd, rules
        self._leave_out = leave_out
        self.seen = {who: Seen(rules) for who in (*crowd.people, "Nobody")}
        self.faults, self.statuses, self.endpoints = [], Counter(), Counter()
        self.slowest = (0.0, "")

    def send(self, count, seed):
        shares = [count // WORKERS + (each < count % WORKERS) for each in range(WORKERS)]
        workers = [
            threading.Thread(target=self._work, args=(share, random.Random(f"{seed} {number}")))
            for number, share in enumerate(shares)
        ]
        for each in workers:
            each.start()
        for each in workers:
            each.join()

    def _work(self, count, pick):
        calls = Calls(pick, self._rules, self.seen, self._client, self._leave_out)
        for number in range(count):
            if number % 20 == 0:
                self._look_around(pick)
            who = pick.choice((*self._crowd.people, "Owner", "Nobody"))
            call = calls.next(who, self._crowd.token(who))
            began = time.monotonic()
            try:
                heard = self._heard(call)
            except OSError as error:
                self.faults.append(f"{error!r} at {call}")
                continue
            took = time.monotonic() - began
            self.slowest = max(self.slowest, (took, str(call)[:300]))
            self._judge(call, answer_in(heard), pick)

    def _look_around(self, pick):
        """As somebody would who knows their way: what there is now is asked for in what follows."""
        who = pick.choice(list(self._crowd.people))
        seen, addresses = self.seen[who], ["/", "/projects", "/assistants", "/share"]
        if thread := seen.ids({"thread_id"}, pick).get("thread_id"):
            at = f"/threads/{thread}"
            addresses += [at, f"{at}/files", f"{at}/changes", f"{at}/export"]
        for address in addresses:
            answer = self._client.ask(address, token=self._crowd.token(who))
            seen.look(answer.text, pick)

    def _judge(self, call, answer, pick):
        self.statuses[call.who, answer.status] += 1
        self.endpoints[call.endpoint] += 1
        if answer.status >= 500 or (call.proper and not answer.status):
            self.faults.append(f"{answer.status} {answer.text[:300]} at {call}")
        out = answer.status == 401 or answer.header("Location").startswith("/login")
        if out and call.who in self._crowd.people:
            self._crowd.come_back(call.who)
        seen = self.seen[call.who]
        if answer.status in (200, 303):
            seen.look(answer.text, pick)
            seen.address(answer.header("Location"))
        elif answer.status == 404 and call.ids:
            seen.forget(call.ids)

    def _heard(self, call):
        with self._client.connect() as line:
            line.settimeout(ANSWER_SECONDS)
            # It may have heard enough; what it said is still there.
            with contextlib.suppress(OSError):
                line.sendall(call.sent)
                if call.endpoint == "route":
                    return self._converse(line, call)
                line.shutdown(socket.SHUT_WR)
            return read_all(line)

    def _converse(self, line, call):
        heard = line.recv(65536)
        if heard.startswith(b"HTTP/1.1 101"):
            line.settimeout(LISTENS_SECONDS)
            with contextlib.suppress(ConnectionError, TimeoutError):
                for frame in call.frames:
                    line.sendall(frame)
                while line.recv(65536):
                    pass
        return heard


def test_whatever_is_sent_to_it_is_answered_and_it_stays_well(shared, app):
    tell(f"STRATA_FUZZ={COUNT} STRATA_FUZZ_SEED={SEED}")
    crowd = Crowd(shared)
    # With one address, wrong guesses would keep out who is to come back.
    guesses = () if HAS_MORE_ADDRESSES else ("door.enter", "door.join")
    run = Run(shared, crowd, app.url_map, guesses)
    furnish(crowd.token("Owner"), Client(shared.port), run.seen["Owner"])
    run.send(WARM_UP, SEED)
    warm, threads = resident(shared), shared.threads()
    run.send(COUNT - WARM_UP, SEED + 1)
    grown = resident(shared) / warm
    statuses = dict(sorted(run.statuses.items()))
    tell(f"{statuses}; memory {warm >> 20} MB, then {grown:.0%}; slowest {run.slowest}")
    told = shared.log() + shared.said()
    assert not run.faults, "\n".join([*run.faults[:20], told[-20_000:]])
    assert shared.is_alive(), told
    # Those of the child that reads files are expected there, and stand behind a moment.
    assert not re.search("^Traceback", told, re.M), told[-20_000:]
    assert Client(shared.port).ask("/login").status == 200
    owner = crowd.people["Owner"]
    assert settles(lambda: owner.is_in() or owner.sign_in())
    assert settles(lambda: shared.threads() <= threads + 10), (shared.threads(), threads)
    assert grown <= MOST_GROWTH
    # It was let in: a run in which all is refused would find nothing.
    let_in = sum(n for (who, status), n in run.statuses.items() if who == "Owner" and status < 400)
    assert let_in > COUNT / 10
    routes = {rule.endpoint for rule in app.url_map.iter_rules()} - {"static", *guesses}
    assert COUNT < 5000 or routes <= set(run.endpoints)


def tell(words):
    """Shown when the test fails, or with `-s`."""
    sys.stdout.write(f"{words}\n")


def furnish(token, client, seen):
    """A thread, one with a file, and a project, shared with all, to begin with. With them comes
    what reads and embeds files into memory."""
    for path in ("/threads", "/threads/sample", "/projects"):
        form = {"text": "/echo Tides", "name": "Boats"}
        made = client.ask(path, "POST", token=token, form=form).header("Location")
        seen.address(made)
        home = made.split("#")[0].split("?")[0]
        shared = client.ask(f"{home}/sharing", "POST", token=token, form={"all": "write"})
        assert shared.status == 303


def resident(shared):
    """Once nothing is answered, read or embedded any more, or nearly so."""
    found = shared.resident_bytes()
    settles(lambda: False, 3)
    return min(found, shared.resident_bytes())


def settles(holds, seconds=QUIET_SECONDS):
    pause, until = threading.Event(), time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        pause.wait(0.2)
    return True
