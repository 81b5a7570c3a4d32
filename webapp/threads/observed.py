"""A store that tells what was changed, after it was: for the index of everything said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from webapp.chat.messages import Message, Thread
from webapp.chat.records import ActiveRoot, Put, Record
from webapp.errors import Damaged, NotFound, StorageFailed
from webapp.threads.folders import ABOUT, LOG
from webapp.threads.store import Change, Contents, DamagedThread, ThreadStore, TrashedThread


class Observer(Protocol):
    """Called after each change, from the thread that made it. Returns at once and never raises."""

    def changed(self, thread_id: str, records: Sequence[Record]) -> None: ...

    def titled(self, thread: Thread) -> None: ...

    def read_again(self, thread_id: str) -> None: ...

    def gone(self, thread_id: str) -> None: ...


class ObservedStore:
    """A ThreadStore that does what `store` does."""

    def __init__(self, store: ThreadStore, observer: Observer) -> None:
        self._store = store
        self._observer = observer

    def list_threads(self) -> list[Thread | DamagedThread]:
        return self._store.list_threads()

    def get_thread(self, thread_id: str) -> Thread:
        return self._store.get_thread(thread_id)

    def create_thread(self, thread: Thread, messages: Sequence[Message] = ()) -> None:
        self._store.create_thread(thread, messages)
        self._observer.read_again(thread.id)

    def modify_thread(self, thread: Thread, *, what: str = "") -> None:
        self._store.modify_thread(thread, what=what)
        self._observer.titled(thread)

    def read(self, thread_id: str) -> Contents:
        return self._store.read(thread_id)

    def create_message(self, thread_id: str, message: Message) -> None:
        self._store.create_message(thread_id, message)
        self._observer.changed(thread_id, [Put(message)])

    def write(
        self,
        thread_id: str,
        records: Sequence[Record],
        *,
        what: str = "",
        durable: bool = True,
        active_root: ActiveRoot | None = None,
    ) -> None:
        self._store.write(thread_id, records, what=what, durable=durable, active_root=active_root)
        self._observer.changed(thread_id, records)

    def changes(self, thread_id: str) -> list[Change]:
        return self._store.changes(thread_id)

    def undo(self, thread_id: str, change_id: str) -> Contents:
        found = self._store.undo(thread_id, change_id)
        self._observer.read_again(thread_id)
        return found

    def as_of(self, thread_id: str, moment_ms: int) -> Contents:
        return self._store.as_of(thread_id, moment_ms)

    def thread_as_of(self, thread_id: str, moment_ms: int) -> Thread:
        return self._store.thread_as_of(thread_id, moment_ms)

    def rewrite(self, thread_id: str) -> None:
        self._store.rewrite(thread_id)

    def delete_thread(self, thread_id: str) -> None:
        self._store.delete_thread(thread_id)
        self._observer.gone(thread_id)

    def trash(self) -> list[TrashedThread]:
        return self._store.trash()

    def restore_thread(self, thread_id: str) -> None:
        self._store.restore_thread(thread_id)
        self._observer.read_again(thread_id)

    def empty_trash(
        self, older_than_ms: int | None = None, whose: Callable[[str], bool] | None = None
    ) -> int:
        return self._store.empty_trash(older_than_ms, whose)

    def close(self) -> None:
        self._store.close()


class StoredSource:
    """What an index reads of a store whose data directory is `root`."""

    def __init__(self, store: ThreadStore, root: Path) -> None:
        self._store = store
        self._threads = root / "threads"

    def threads(self) -> Iterable[Thread]:
        return [each for each in self._store.list_threads() if isinstance(each, Thread)]

    def thread(self, thread_id: str) -> Thread | None:
        try:
            return self._store.get_thread(thread_id)
        except (NotFound, Damaged, StorageFailed):
            return None

    def messages(self, thread_id: str) -> Sequence[Message]:
        return self._store.read(thread_id).messages

    def stamp(self, thread_id: str) -> str:
        """Size and time of the files of a thread; empty for a store that has none."""
        parts = []
        for name in (LOG, ABOUT):
            try:
                stat = (self._threads / thread_id / name).stat()
            except OSError:
                parts.append("-")
            else:
                parts.append(f"{stat.st_size}:{stat.st_mtime_ns}")
        return "" if parts == ["-", "-"] else " ".join(parts)
