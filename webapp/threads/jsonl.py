"""The thread store whose threads are directories: `thread.json`, `messages.jsonl`,
`history.jsonl`, and in `messages.damaged` what could not be read."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Final

from webapp import durable as disk
from webapp.chat.messages import Message, Thread
from webapp.chat.records import ActiveRoot, Put, Record
from webapp.errors import BadInput, Damaged, StorageFailed
from webapp.threads import about, history, log, undo
from webapp.threads.folders import ABOUT, HISTORY, LOG, Folders
from webapp.threads.locks import ThreadLocks
from webapp.threads.logfile import Damage, LogFile
from webapp.threads.rewriting import Places, streamed_into
from webapp.threads.roster import Roster
from webapp.threads.store import Change, Contents, DamagedThread, TrashedThread
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

    # --- threads ---

    def list_threads(self) -> list[Thread | DamagedThread]:
        return self._roster.entries()

    def get_thread(self, thread_id: str) -> Thread:
        return about.load(self._folders.existing(thread_id))

    def create_thread(self, thread: Thread, messages: Sequence[Message] = ()) -> None:
        folder = self._folders.thread(thread.id)
        with self._locks.hold(thread.id):
            if not (folder / ABOUT).exists():
                self._insert(folder, thread, messages)

    def modify_thread(self, thread: Thread, *, what: str = "") -> None:
        folder = self._folders.thread(thread.id)
        with self._locks.hold(thread.id):
            if (folder / ABOUT).exists():
                self._save(folder, about.load(folder), thread, what)
            else:
                self._insert(folder, thread, ())

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

    def empty_trash(
        self, older_than_ms: int | None = None, whose: Callable[[str], bool] | None = None
    ) -> int:
        return self._trash.empty(older_than_ms, whose)

    # --- messages ---

    def read(self, thread_id: str) -> Contents:
        with self._open(thread_id) as file:
            return file.contents()

    def create_message(self, thread_id: str, message: Message) -> None:
        with self._open(thread_id) as file:
            if str(message.data.get("id")) not in file.replay:
                file.append([Put(message)], self._clock(), None, True)
                self._tidy_if_worth_it(file)

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
            root = active_root.message_id if active_root else None
            self._act(file, records, what, root, durable=durable)

    def rewrite(self, thread_id: str) -> None:
        with self._open(thread_id) as file:
            if file.is_streamed_into():
                raise streamed_into()
            self._tidy(file)

    # --- what was before ---

    def changes(self, thread_id: str) -> list[Change]:
        with self._open(thread_id) as file:
            known = history.load(file.folder)
        found = [
            Change(deed.act.id, deed.at, deed.act.what, tuple(map(undo.id_of, deed.records)))
            for deed in known.deeds().values()
        ]
        made = self._made(file.folder, known.thread_changes)
        found += [Change(each.act.id, each.at, each.act.what, ()) for each in made]
        oldest = self._clock() - history.KEPT_MS
        recent = [change for change in reversed(found) if change.at > oldest and change.what]
        recent.sort(key=lambda change: -change.at)
        return recent

    def undo(self, thread_id: str, change_id: str) -> Contents:
        with self._open(thread_id) as file:
            known = history.load(file.folder)
            deed = known.deeds().get(change_id)
            change = next((each for each in known.thread_changes if each.act.id == change_id), None)
            if deed is not None:
                self._undo_deed(file, deed)
            elif change is not None:
                self._undo_thread_change(file.folder, change)
            else:
                raise undo.unknown_change()
        return self.read(thread_id)

    def as_of(self, thread_id: str, moment_ms: int) -> Contents:
        with self._open(thread_id) as file:
            known = history.load(file.folder)
        replay, damaged = known.at(moment_ms)
        return Contents(replay.messages(), Damage(damaged).notices())

    def thread_as_of(self, thread_id: str, moment_ms: int) -> Thread:
        with self._open(thread_id) as file:
            now = about.load(file.folder)
            known = history.load(file.folder)
        later = sorted(known.field_changes(), key=lambda change: -change.at)
        changes = ((each.before, each.after) for each in later if each.at > moment_ms)
        return Thread(undo.rewound(now.data, changes))

    def close(self) -> None:
        with self._logs_lock:
            self._logs.clear()

    # --- inside; the thread's lock is held ---

    def _insert(self, folder: Path, thread: Thread, messages: Sequence[Message]) -> None:
        lines = b"".join(log.encode([Put(each) for each in messages], self._clock(), None))
        with self._folders.beside(folder) as new, about.all_or_nothing(new / LOG):
            if lines:
                disk.append(new / LOG, lines, durable=True)
            about.save(new, thread, name=folder.name)

    def _save(self, folder: Path, before: Thread, after: Thread, what: str) -> None:
        with about.all_or_nothing(folder / HISTORY):
            if what:
                act = log.Act(secrets.token_hex(8), what)
                history.keep_thread(folder, before.data, after.data, self._clock(), act)
            about.save(folder, after)

    def _made(
        self, folder: Path, changes: Sequence[history.ThreadChange]
    ) -> list[history.ThreadChange]:
        """Without those that were noted when a crash came, and never made."""
        try:
            now = about.load(folder).data
        except Damaged:
            return list(changes)
        then = [*(each.before for each in changes[1:]), now]
        pairs = zip(changes, then, strict=False)
        return [each for each, state in pairs if undo.was_made(each.before, each.after, state)]

    def _act(
        self,
        file: LogFile,
        records: Sequence[Record],
        what: str,
        root: str | None,
        *,
        durable: bool,
    ) -> None:
        before = about.load(file.folder) if root else None
        with about.all_or_nothing(file.path) if before and records else nullcontext():
            if records:
                roots = (before.active_root_id, root) if before and root else None
                act = log.Act(secrets.token_hex(8), what, roots) if what else None
                file.append(records, self._clock(), act, durable)
            if before is not None:
                after = before.with_metadata({"activeRootId": root})
                self._save(file.folder, before, after, "" if records else what)
        self._tidy_if_worth_it(file)

    def _tidy_if_worth_it(self, file: LogFile) -> None:
        if file.is_worth_rewriting():
            # The records are saved: a disk too full to tidy up must not deny that.
            try:
                self._tidy(file)
            except (StorageFailed, BadInput):
                file.put_off_rewriting()

    def _tidy(self, file: LogFile, places: Places | None = None) -> None:
        file.rewrite(self._clock(), places)
        self._forget(file.folder.name)

    def _undo_deed(self, file: LogFile, deed: history.Deed) -> None:
        before, after = history.state_around(deed)
        was, became = deed.act.root or (None, None)
        thread = about.load(file.folder) if deed.act.root else None
        moved = (became, was) if thread and thread.active_root_id == became else None
        if thread and moved and undo.is_back(deed.records, before, file.replay):
            # A crash came between the two halves of an undo: this is the other half.
            then = thread.with_metadata({"activeRootId": was})
            self._save(file.folder, thread, then, undo.named(deed.act.what))
            return
        records = undo.inverse(deed.records, before, after, file.replay)
        act = log.Act(secrets.token_hex(8), undo.named(deed.act.what), moved)
        file = self._with_places(file, records, before.places())
        with about.all_or_nothing(file.path):
            file.append(records, self._clock(), act, True)
            if thread and moved:
                about.save(file.folder, thread.with_metadata({"activeRootId": was}))
        self._tidy_if_worth_it(file)

    def _with_places(
        self, file: LogFile, records: Sequence[Record], wanted: Sequence[str]
    ) -> LogFile:
        """A log in which all that comes back has its place: after a rewrite only the history
        knows those of deleted messages. No message changes by this."""
        places = file.replay.places()
        lost = [record.message for record in records if isinstance(record, Put)]
        lost = [message for message in lost if message.id not in set(places)]
        if not lost:
            return file
        self._tidy(file, Places(undo.reordered(places, wanted), lost))
        return LogFile(file.folder)

    def _undo_thread_change(self, folder: Path, change: history.ThreadChange) -> None:
        now = about.load(folder)
        fields = undo.merged(change.before, change.after, now.data, leave=frozenset({"updated"}))
        if fields == now.data:
            raise undo.changed_since()
        self._save(folder, now, Thread(fields), undo.named(change.act.what))

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
