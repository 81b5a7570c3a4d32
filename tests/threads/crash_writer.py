"""A process that changes a thread and says after each change that it is saved, until it is
killed; and what the thread must then hold."""

import itertools

from tests.threads.store_contract import said, texts
from webapp.chat.records import Append, Delete, Patch, Put

START = 1_767_225_600_000
_SIZES = (10, 200, 30_000, 3000, 150_000)


def write_until_killed(open_store, root, first, acknowledge):
    """Acts `first`, `first + 1`, …; each number is sent when its act is acknowledged."""
    store = open_store(root, clock_from(first))
    number = first
    while True:
        perform(store, number)
        acknowledge.send(number)
        number += 1


def clock_from(number):
    """Milliseconds that never go back, over all the processes."""
    return itertools.count(START + number * 100).__next__


def perform(store, number):
    what, records = act(number)
    if what == "rename":
        store.modify_thread(store.get_thread("t").with_fields(title=str(number)), what="Renamed")
    elif what == "rewrite":
        store.rewrite("t")
    else:
        store.write("t", records, what=what)


def act(number):
    """What act number `number` is: a name and records. Every tenth message is left alone."""
    size = _SIZES[number // 7 % len(_SIZES)]
    slot = f"m{number // 7 % 10}"
    match number % 7:
        case 0:
            return "write", [Put(said(f"k{number}", "kept")), Put(said(slot, "x" * size))]
        case 1:
            return "edit", [Put(said(slot, f"{number} " + "y" * size))]
        case 2:
            return "", [Append(slot, "z" * size), Patch(slot, {"pin": number})]
        case 3:
            return "delete", [Delete(slot)]
        case 4:
            return "rename", []
        case 5:
            return "again", [Put(said(slot, "back")), Patch(slot, {"pin": number})]
        case _:
            return "rewrite", []


class Expected:
    """The texts and pins after every acknowledged act, kept without any store."""

    def __init__(self):
        self.messages = {}
        self.title = "Harbour walk"

    def follow(self, number):
        what, records = act(number)
        if what == "rename":
            self.title = str(number)
        for record in records:
            self.apply(record)

    def apply(self, record):
        match record:
            case Put(message):
                self.messages[message.id] = (message.text, message.metadata.get("pin"))
            case Append(id, text) if id in self.messages:
                self.messages[id] = (self.messages[id][0] + text, self.messages[id][1])
            case Patch(id, metadata) if id in self.messages:
                self.messages[id] = (self.messages[id][0], metadata["pin"])
            case Delete(id):
                self.messages.pop(id, None)

    def possible(self, number):
        """Each state the act `number` may have left when it was cut short."""
        what, records = act(number)
        yield dict(self.messages), self.title
        for record in records:
            self.apply(record)
            yield dict(self.messages), self.title
        if what == "rename":
            yield dict(self.messages), str(number)


def found(store):
    contents = store.read("t")
    pins = {message.id: message.metadata.get("pin") for message in contents.messages}
    messages = {id: (text, pins[id]) for id, text in texts(contents).items()}
    return messages, store.get_thread("t").title
