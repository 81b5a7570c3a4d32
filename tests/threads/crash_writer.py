"""A process that changes a thread and says after each change that it is saved, until it is
killed; and what the thread must then hold.

Every act follows from its number and from `run`, the number of the process, so that a process
and the test that watches it agree about what an acknowledged number means."""

import itertools
import multiprocessing
from contextlib import suppress

from tests.threads.store_contract import said, texts
from webapp.chat.records import ActiveRoot, Append, Delete, Patch, Put
from webapp.errors import Conflict

START = 1_767_225_600_000
_SIZES = (10, 20_000, 200, 40_000, 3000)
_KINDS = 12


def processes(*modules):
    """To begin processes quickly: there is one server for all of them, which has `modules` and
    what is needed here imported, and `__main__`, which each would import again by itself."""
    ours = ["__main__", "tests.threads.crash_writer", "tests.threads.test_faults"]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*ours, *modules])
    return context


def write_until_killed(open_store, root, run, first, acknowledge):
    """Acts `first`, `first + 1`, …; each number is sent when its act is acknowledged."""
    store = open_store(root, clock_of(run))
    for number in itertools.count(first):
        perform(store, number, run)
        acknowledge.send(number)


def clock_of(run):
    """Milliseconds that never go back, over all the processes."""
    return itertools.count(START + run * 100_000).__next__


def perform(store, number, run):
    what, records, root = act(number)
    if what.startswith("rename"):
        store.modify_thread(store.get_thread("t").with_fields(title=f"{number} {run}"), what=what)
    elif what.startswith("Undid: "):
        undo(store, what.removeprefix("Undid: "))
    elif what == "rewrite":
        store.rewrite("t")
    else:
        active_root = ActiveRoot(root) if root else None
        store.write("t", records, what=what, active_root=active_root)


def undo(store, what):
    """Take back the newest act of that name, unless it is taken back already."""
    found = [change for change in store.changes("t") if change.what == what]
    with suppress(Conflict):
        store.undo("t", found[0].id)


def act(number):
    """What act number `number` is: its name, records and active root. What follows a named act
    undoes it, but for every second switch, which is followed by a delete that stays."""
    turn, kind = divmod(number, _KINDS)
    slot, kept = f"m{turn % 10}", f"k{turn}"
    size = _SIZES[turn % len(_SIZES)]
    replies = [f"{slot}r{n}" for n in range(3)]
    gone = [Delete(id) for id in (slot, *replies)]
    switch = f"switch {number - kind + 9}"
    match kind:
        case 0:
            return "", [Put(said(kept)), Put(said(slot, "x" * size))], None
        case 1:
            return f"edit {number}", [Put(said(slot, f"{number} " + "y" * size))], None
        case 3:
            return "", [Append(slot, "z" * size), Patch(slot, {"pin": number})], None
        case 4:
            return "", [Put(said(id, "w" * 500, parent=slot)) for id in replies], None
        case 5:
            return f"delete {number}", gone, None
        case 7:
            return f"rename {number}", [], None
        case 9:
            return switch, [Patch(kept, {"pin": number})], kept
        case 10 if turn % 2:
            return f"delete {number}", gone, None
        case 11:
            return "rewrite", [], None
        case _:
            return f"Undid: {act(number - 1)[0]}", [], None


class Expected:
    """Texts, pins, title and active root after every acknowledged act, kept without any store.
    A state is (messages, title, root)."""

    def __init__(self):
        self.state = ({}, "Harbour walk", None)
        self.before = {}

    def follow(self, number, run):
        *_, self.state = self.steps(number, run)

    def steps(self, number, run):
        """Each state the act may leave when it is cut short; the last one is all of it."""
        what, records, root = act(number)
        messages, title, old_root = self.state
        self.before[what] = self.state
        yield self.state
        if what.startswith("Undid: "):
            yield from self._undoing(number)
            return
        for record in records:
            messages = applied(messages, record)
            yield messages, title, old_root
        title = f"{number} {run}" if what.startswith("rename") else title
        yield messages, title, root or old_root

    def _undoing(self, number):
        what, records, _ = act(number - 1)
        was = self.before[what]
        messages, title, root = self.state
        for record in records:
            id = record.message.id if isinstance(record, Put) else record.message_id
            messages = {key: value for key, value in messages.items() if key != id}
            if id in was[0]:
                messages[id] = was[0][id]
            yield messages, title, root
        yield was


def applied(messages, record):
    messages = dict(messages)
    match record:
        case Put(message):
            messages[message.id] = (message.text, message.metadata.get("pin"))
        case Append(id, text) if id in messages:
            messages[id] = (messages[id][0] + text, messages[id][1])
        case Patch(id, metadata) if id in messages:
            messages[id] = (messages[id][0], metadata["pin"])
        case Delete(id):
            messages.pop(id, None)
    return messages


def found(store):
    contents = store.read("t")
    pins = {message.id: message.metadata.get("pin") for message in contents.messages}
    messages = {id: (text, pins[id]) for id, text in texts(contents).items()}
    thread = store.get_thread("t")
    return messages, thread.title, thread.active_root_id
