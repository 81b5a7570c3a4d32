"""One thread's `messages.jsonl`, kept in step with what is known of it in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from webapp import durable
from webapp.chat.records import Append, Delete, Put, Record
from webapp.errors import StorageFailed
from webapp.threads import history, log, rewriting
from webapp.threads.folders import DAMAGED, LOG
from webapp.threads.replay import Replay
from webapp.threads.store import Contents

_WORTH_REWRITING: Final = 1 << 20


@dataclass
class Damage:
    """What was wrong with the lines of a log. `kept` once the bytes are in `messages.damaged`."""

    lines: list[bytes] = field(default_factory=list)
    repeated: int = 0
    kept: bool = False

    def notices(self) -> tuple[str, ...]:
        return tuple(notice for notice in (self._unreadable(), self._repeats()) if notice)

    def _unreadable(self) -> str:
        count = len(self.lines)
        if not count:
            return ""
        what = "1 line" if count == 1 else f"{count:,} lines"
        kept = "it is kept" if count == 1 else "they are kept"
        return f"{what} of this thread's log could not be read; {kept} in the thread's folder."

    def _repeats(self) -> str:
        if not self.repeated:
            return ""
        what = "1 line" if self.repeated == 1 else f"{self.repeated:,} lines"
        return f"{what} of this thread's log used the id of an earlier message and took its place."


class LogFile:
    """Not for several threads at once: the store holds the thread's lock around every call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / LOG
        self.replay = Replay()
        self.damage = Damage()
        self.size = 0
        self._live: dict[str, int] = {}
        self._live_bytes = 0
        self._left_alone_up_to = 0
        self._pending: set[str] = set()
        self._mark = (0, 0, 0)
        self._contents: Contents | None = None
        self._load()

    def contents(self) -> Contents:
        """The same value as long as nothing changed."""
        if self._contents is None:
            self._contents = Contents(self.replay.messages(), self.damage.notices())
        return self._contents

    def is_current(self) -> bool:
        """False when someone else changed the file. Raises StorageFailed when it has vanished."""
        mark = self._look()
        if mark == (0, 0, 0) and self.size:
            raise StorageFailed(
                f"{self.path} has disappeared.",
                "Put it back, or restart Strata to go on without it.",
            )
        return mark == self._mark

    def append(
        self, records: Sequence[Record], at: int, act: log.Act | None, durably: bool
    ) -> None:
        """Write all records at once, then know them. Raises StorageFailed with neither done."""
        self._keep_damage()
        lines = log.encode(records, at, act)
        durable.append(self.path, b"".join(lines), durable=durably)
        for record, line in zip(records, lines, strict=True):
            self._take(record, len(line))
        self._mark = self._look()
        self.size = self._mark[1]

    def is_worth_rewriting(self) -> bool:
        """More than 1 MiB and more than half of the file is superseded, and no reply streams."""
        dead = self.size - self._live_bytes
        enough = dead > max(self._live_bytes, _WORTH_REWRITING)
        return enough and self.size > self._left_alone_up_to and not self.is_streamed_into()

    def put_off_rewriting(self) -> None:
        """It failed: not again before the file has grown by another MiB."""
        self._left_alone_up_to = self.size + _WORTH_REWRITING

    def is_streamed_into(self) -> bool:
        """An answer in it is not finished yet."""
        return bool(self._pending)

    def rewrite(self, now: int, places: rewriting.Places | None = None) -> None:
        """Replace the file by one without superseded lines; the old one goes to the history.
        Of no use afterwards: open it anew. Raises StorageFailed with the log as it was."""
        if self._live_bytes == self.size and places is None:
            return
        self._keep_damage()
        with durable.reading(self.path):
            data = self.path.read_bytes()
        new = rewriting.rewritten(log.read(io.BytesIO(data), []), places)
        history.keep_log(self.folder, data, now)
        durable.replace(self.path, new)

    def _load(self) -> None:
        with durable.reading(self.path):
            try:
                file = self.path.open("rb")
            except FileNotFoundError:
                return
            with file:
                stat = os.fstat(file.fileno())
                self._mark = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
                self.size = stat.st_size
                for line in log.read(file, self.damage.lines):
                    self._know(line)

    def _know(self, line: log.Line) -> None:
        record = line.record
        if isinstance(record, Put) and not line.ours and record.message.id in self.replay:
            self.damage.repeated += 1
        self._take(record, line.size)

    def _take(self, record: Record, size: int) -> None:
        self._contents = None
        self.replay.apply(record)
        match record:
            case Put(message):
                self._count(message.id, size)
                _set(self._pending, message.id, message.status == "pending")
            case Append(message_id, text) if message_id in self._live:
                self._count(message_id, self._live[message_id] + len(text))
            case Delete(message_id):
                self._count(message_id, 0)
                self._pending.discard(message_id)

    def _count(self, message_id: str, size: int) -> None:
        self._live_bytes += size - self._live.pop(message_id, 0)
        if size:
            self._live[message_id] = size

    def _look(self) -> tuple[int, int, int]:
        with durable.reading(self.path):
            try:
                stat = self.path.stat()
            except FileNotFoundError:
                return (0, 0, 0)
        return (stat.st_mtime_ns, stat.st_size, stat.st_ino)

    def _keep_damage(self) -> None:
        """Copy unreadable lines beside the log, each once, before anything else is written."""
        if self.damage.kept or not self.damage.lines:
            return
        path = self.path.with_name(DAMAGED)
        with durable.reading(path):
            known = set(path.read_bytes().split(b"\n")) if path.exists() else set()
        new = [line for line in dict.fromkeys(self.damage.lines) if line not in known]
        if new:
            durable.append(path, b"".join(line + b"\n" for line in new), durable=True)
        self.damage.kept = True


def _set(ids: set[str], message_id: str, member: bool) -> None:
    if member:
        ids.add(message_id)
    else:
        ids.discard(message_id)
