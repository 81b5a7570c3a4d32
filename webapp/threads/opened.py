"""The threads that are open in memory, each behind a lock of its own.

The table's lock is never held while waiting for a thread's, so that reading a large thread holds
up nobody who looks at another.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field

from webapp.chat.messages import Thread, is_id, new_thread
from webapp.chat.records import Put, Record
from webapp.chat.tree import Tree
from webapp.errors import Damaged, NotFound
from webapp.threads.store import ThreadStore


@dataclass
class OpenThread:
    """`damaged` says why thread.json could not be read; `unwritten` are repairs that go with the
    next write; `writing` are the ids of answers that stream into it. `in_doubt` after a write
    failed: it is read again before anyone sees it."""

    thread: Thread
    tree: Tree
    notices: tuple[str, ...]
    damaged: str
    unwritten: tuple[Record, ...]
    writing: set[str] = field(default_factory=set)
    in_doubt: bool = False


@dataclass
class Slot:
    """The place of one thread in the table."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    opened: OpenThread | None = None
    users: int = 0


class OpenThreads:
    """Keeps the `keep` threads used last; one that streams or is in use is never closed."""

    def __init__(self, store: ThreadStore, keep: int) -> None:
        self._store = store
        self._keep = keep
        self._table = threading.Lock()
        self._slots: OrderedDict[str, Slot] = OrderedDict()

    @contextmanager
    def reserved(self, thread_id: str) -> Iterator[Slot]:
        """The thread's slot under its lock, without reading it. Raises NotFound for no id."""
        if not is_id(thread_id):
            raise NotFound("There is no such thread.", do="Choose one from the list.")
        with self._table:
            slot = self._slots.setdefault(thread_id, Slot())
            self._slots.move_to_end(thread_id)
            slot.users += 1
        try:
            with slot.lock:
                yield slot
        finally:
            with self._table:
                slot.users -= 1
                self._close_unused(thread_id, slot)

    def close_idle(self) -> None:
        """Forget what nobody uses and nothing streams into: it is read anew when looked at."""
        with self._table:
            for thread_id, slot in list(self._slots.items()):
                if not slot.users and not (slot.opened and slot.opened.writing):
                    del self._slots[thread_id]

    @contextmanager
    def held(self, thread_id: str) -> Iterator[OpenThread]:
        """The thread under its lock, read from the store if it was not open."""
        with self.reserved(thread_id) as slot:
            if slot.opened is None:
                slot.opened = self._read(thread_id, frozenset())
            elif slot.opened.in_doubt:
                self.read_again(slot.opened)
            yield slot.opened

    def read_again(self, opened: OpenThread) -> None:
        """Take over what the store has now, after it wrote by itself. Its lock is held."""
        fresh = self._read(opened.thread.id, opened.writing)
        opened.thread, opened.tree = fresh.thread, fresh.tree
        opened.notices, opened.damaged = fresh.notices, fresh.damaged
        opened.unwritten, opened.in_doubt = fresh.unwritten, False

    def _close_unused(self, thread_id: str, slot: Slot) -> None:
        if slot.opened is None and not slot.users:
            self._slots.pop(thread_id, None)
        for oldest in list(self._slots)[: max(0, len(self._slots) - self._keep)]:
            other = self._slots[oldest]
            if not other.users and not (other.opened and other.opened.writing):
                del self._slots[oldest]

    def _read(self, thread_id: str, writing: Set[str]) -> OpenThread:
        damaged = ""
        try:
            thread = self._store.get_thread(thread_id)
        except Damaged as error:
            damaged = str(error)
            thread = new_thread(id=thread_id, title=thread_id, created=0)
        contents = self._store.read(thread_id)
        # No run of this process writes the others, or the thread would still be open: cut short.
        halted = tuple(
            Put(message.with_fields(status="stopped"))
            for message in contents.messages
            if message.status == "pending" and message.id not in writing
        )
        tree = Tree(contents.messages, thread.active_root_id)
        tree.apply(halted)
        notices = (*contents.notices, *_placeless(tree.placeless))
        return OpenThread(thread, tree, notices, damaged, (*halted, *tree.repairs()))


def _placeless(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    if count == 1:
        return (
            "1 message has lost its place in this thread; it is shown after the one before it.",
        )
    what = f"{count:,} messages have lost their place in this thread"
    return (f"{what}; they are shown after what was saved before them.",)
