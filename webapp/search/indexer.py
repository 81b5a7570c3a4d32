"""Keeps the index in step with the store: told of each change after it was made, on a thread of its
own, so that no answer and no page waits for it. What a crash cut off is noticed at the next start.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from webapp.chat.messages import Message, Thread
from webapp.chat.records import Append, Delete, Patch, Put, Record
from webapp.errors import StrataError
from webapp.search.index import PINNED, STARRED, TITLE, FindIndex, Said, said

log = logging.getLogger(__name__)

_MARKS: Final = (("pinned", PINNED), ("starred", STARRED))
_QUIET_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 0.01
_Task = Callable[[], None]


class Source(Protocol):
    """What is indexed."""

    def threads(self) -> Iterable[Thread]:
        """All that can be read."""

    def thread(self, thread_id: str) -> Thread | None:
        """None for one that cannot be read."""

    def messages(self, thread_id: str) -> Sequence[Message]:
        """Of all branches. StrataError when they cannot be read."""

    def stamp(self, thread_id: str) -> str:
        """Another one after each change; empty where that is not known."""


class Indexer:
    """`changed` and its like return at once."""

    def __init__(self, index: FindIndex, source: Source) -> None:
        self._index = index
        self._source = source
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._open: set[str] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self.behind = 0  # threads that are still to be looked at after a start

    # --- told by the store ---

    def changed(self, thread_id: str, records: Sequence[Record]) -> None:
        told = [
            each for each in records if not isinstance(each, Append)
        ]  # streaming: the end comes
        if told:
            self._add(lambda: self._take(thread_id, told))

    def titled(self, thread: Thread) -> None:
        self._add(lambda: self._put(thread.id, [_title(thread)]))

    def read_again(self, thread_id: str) -> None:
        """All of it changed, came, or came back."""
        self._add(lambda: self._whole(thread_id))

    def gone(self, thread_id: str) -> None:
        self._add(lambda: self._dropped(thread_id))

    # --- told by others ---

    def catch_up(self) -> None:
        """In the background: what changed while nobody looked. Costs a look at each thread, and
        the reading of those that changed."""
        self._add(self._catch_up)

    def rebuild(self, progress: Callable[[int, int], None] = lambda _done, _all: None) -> int:
        """All of it, now; how many messages and titles are in it."""
        self._index.clear()
        threads = list(self._source.threads())
        for number, thread in enumerate(threads, 1):
            self._whole(thread.id, thread)
            progress(number, len(threads))
        return self._index.count()

    def wait(self, timeout: float = 10.0) -> bool:
        """Until everything told before is in the index."""
        reached = threading.Event()
        self._add(reached.set)
        return reached.wait(timeout)

    def close(self) -> None:
        """Idempotent."""
        self._closing.set()
        self._tasks.put(None)
        if self._thread is not None:
            self._thread.join(timeout=5)
        self._index.close()

    # --- inside ---

    def _add(self, task: _Task) -> None:
        if self._closing.is_set():
            return
        self._tasks.put(task)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="index", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                task = self._tasks.get(timeout=_QUIET_SECONDS if self._open else None)
            except queue.Empty:
                self._guarded(self._settle)
                continue
            if task is None:
                self._guarded(self._settle)
                return
            self._guarded(task)

    def _guarded(self, task: _Task) -> None:
        try:
            task()
        except (sqlite3.Error, OSError, StrataError) as error:
            log.warning("the index of what was said fell behind: %s", error)
        except Exception:
            log.exception("the index of what was said fell behind")

    def _take(self, thread_id: str, records: Sequence[Record]) -> None:
        self._open.add(thread_id)
        for record in records:
            match record:
                case Put(message):
                    self._index.put(thread_id, [said(message, thread_id)])
                case Delete(message_id):
                    self._index.remove(thread_id, [message_id])
                case Patch(message_id, metadata):
                    for key, mark in _MARKS:
                        if key in metadata:
                            on = metadata[key] is True
                            self._index.marks(thread_id, message_id, mark, on=on)
                case _:
                    continue

    def _put(self, thread_id: str, rows: Sequence[Said]) -> None:
        self._open.add(thread_id)
        self._index.put(thread_id, rows)

    def _whole(self, thread_id: str, thread: Thread | None = None) -> None:
        stamp = self._source.stamp(thread_id)
        rows = [said(each, thread_id) for each in self._source.messages(thread_id)]
        found = thread or self._source.thread(thread_id)
        rows += [_title(found)] if found else []
        self._index.replace(thread_id, rows, stamp)

    def _dropped(self, thread_id: str) -> None:
        self._open.discard(thread_id)
        self._index.drop(thread_id)

    def _settle(self) -> None:
        """It is quiet: what is in the index is what is on the disk."""
        for thread_id in list(self._open):
            if self._tasks.empty() or self._closing.is_set():
                self._index.settle(thread_id, self._source.stamp(thread_id))
                self._open.discard(thread_id)

    def _catch_up(self) -> None:
        known, threads = self._index.stamps(), list(self._source.threads())
        for thread_id in known.keys() - {each.id for each in threads}:
            self._index.drop(thread_id)
        late = [each for each in threads if not self._is_known(each.id, known.get(each.id))]
        self.behind = len(late)
        for thread in late:
            if self._closing.is_set():
                return
            self._guarded(lambda thread=thread: self._whole(thread.id, thread))  # type: ignore[misc]
            self.behind -= 1
            time.sleep(_PAUSE_SECONDS)  # others come first

    def _is_known(self, thread_id: str, stamp: str | None) -> bool:
        return bool(stamp) and stamp == self._source.stamp(thread_id)


def _title(thread: Thread) -> Said:
    return Said(thread.id, "", TITLE, int(thread.updated * 1000), thread.title)
