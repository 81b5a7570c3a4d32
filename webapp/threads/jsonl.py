"""The thread store whose threads are directories: `thread.json`, `messages.jsonl`,
`history.jsonl`, and in `messages.damaged` what could not be read."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from webapp.chat.messages import Message, Thread
from webapp.chat.records import ActiveRoot, Put, Record
from webapp.threads import about, durable, log
from webapp.threads.folders import Folders
from webapp.threads.locks import ThreadLocks
from webapp.threads.logfile import LogFile
from webapp.threads.roster import Roster
from webapp.threads.store import Contents, DamagedThread, TrashedThread
from webapp.threads.trash import Trash

_KEPT_OPEN: Final = 8


class JsonlThreadStore:
    """Under `root`: `threads/<id>/` and `trash/`. `clock_ms` tells milliseconds since 1970.

    Of the threads used last, the log is kept in memory and in step with the file; a file changed
    by someone else is noticed and read again."""

    def __init__(self, root: Path, clock_ms: Callable[[], int]) -> None:
        self._folders = Folders(root)
        self._clock = clock_ms
        self._locks = ThreadLocks()
        self._roster = Roster(self._folders.threads)
        self._trash = Trash(self._folders)
        self._logs: OrderedDict[str, LogFile] = OrderedDict()
        self._logs_lock = Lock()

    def list_threads(self) -> list[Thread | DamagedThread]:
        return self._roster.entries()

    def get_thread(self, thread_id: str) -> Thread:
        return about.load(self._folders.existing(thread_id))

    def create_thread(self, thread: Thread) -> None:
        folder = self._folders.thread(thread.id)
        with self._locks.hold(thread.id):
            if not (folder / about.FILE).exists():
                self._insert(folder, thread)

    def modify_thread(self, thread: Thread, *, what: str = "") -> None:
        folder = self._folders.thread(thread.id)
        with self._locks.hold(thread.id):
            if not (folder / about.FILE).exists():
                self._insert(folder, thread)
                return
            about.load(folder)
            about.save(folder, thread)

    def read(self, thread_id: str) -> Contents:
        with self._open(thread_id) as file:
            return file.contents()

    def create_message(self, thread_id: str, message: Message) -> None:
        with self._open(thread_id) as file:
            if message.id not in file.replay:
                file.append([Put(message)], self._clock(), None, durably=True)

    def write(
        self,
        thread_id: str,
        records: Sequence[Record],
        *,
        what: str = "",
        durable: bool = True,
        active_root: ActiveRoot | None = None,
    ) -> None:
        with self._open(thread_id) as file:
            act = log.Act(secrets.token_hex(8), what) if what else None
            thread = self.get_thread(thread_id) if active_root else None
            if records:
                file.append(records, self._clock(), act, durably=durable)
            if thread and active_root:
                root = {"activeRootId": active_root.message_id}
                about.save(self._folders.thread(thread_id), thread.with_metadata(root))

    def delete_thread(self, thread_id: str) -> None:
        with self._locks.hold(thread_id):
            self._forget(thread_id)
            self._trash.put_in(thread_id, self._clock())

    def trash(self) -> list[TrashedThread]:
        return self._trash.entries()

    def restore_thread(self, thread_id: str) -> None:
        with self._locks.hold(thread_id):
            self._forget(thread_id)
            self._trash.take_out(thread_id)

    def empty_trash(self, older_than_ms: int | None = None) -> int:
        return self._trash.empty(older_than_ms)

    def close(self) -> None:
        with self._logs_lock:
            self._logs.clear()

    def _insert(self, folder: Path, thread: Thread) -> None:
        with durable.saving(folder):
            folder.mkdir(exist_ok=True)
            durable.sync_directory(folder.parent)
        about.save(folder, thread)

    @contextmanager
    def _open(self, thread_id: str) -> Iterator[LogFile]:
        """The thread's log as it is on disk now, under its lock. Raises NotFound, or
        StorageFailed when it cannot be read: what cannot be read is not written to."""
        with self._locks.hold(thread_id):
            folder = self._folders.existing(thread_id)
            file = self._logs.get(thread_id)
            if file is None or not file.is_current():
                self._forget(thread_id)
                file = LogFile(folder)
            self._remember(thread_id, file)
            yield file

    def _remember(self, thread_id: str, file: LogFile) -> None:
        with self._logs_lock:
            self._logs[thread_id] = file
            self._logs.move_to_end(thread_id)
            while len(self._logs) > _KEPT_OPEN:
                self._logs.popitem(last=False)

    def _forget(self, thread_id: str) -> None:
        with self._logs_lock:
            self._logs.pop(thread_id, None)
