"""What a thread store must keep, and how. One contract, several implementations.

A store knows messages and threads, not trees, pages or models. Every method may be called from
any thread of the process; per conversation thread, writes are serialised.

Words: *durable* means on disk with fsync before the call returns; *flushed* means handed to the
operating system (survives a crash of the process, not of the machine).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from webapp.chat.messages import Message, Thread
from webapp.chat.records import ActiveRoot, Record


@dataclass(frozen=True)
class DamagedThread:
    """A thread whose `thread.json` cannot be read. It is listed, its messages can be read."""

    id: str
    problem: str
    updated: float = 0.0


@dataclass(frozen=True)
class TrashedThread:
    """A thread in the trash. `deleted_at` in milliseconds since 1970; `owner` is a person's id, or
    empty."""

    id: str
    title: str
    deleted_at: int
    owner: str = ""


@dataclass(frozen=True)
class Contents:
    """All live messages of a thread in file order, and what a reader must be told about it.

    `notices` are sentences (torn tail, damaged lines, duplicates); empty when all is well."""

    messages: tuple[Message, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """One act on a thread that can be undone. `at` in milliseconds; `what` is a sentence."""

    id: str
    at: int
    what: str
    message_ids: tuple[str, ...]


class ThreadStore(Protocol):
    def list_threads(self) -> list[Thread | DamagedThread]:
        """Newest `updated` first, ties by id. One unreadable thread never hides another."""

    def get_thread(self, thread_id: str) -> Thread:
        """Raises NotFound, or Damaged when thread.json cannot be read."""

    def create_thread(self, thread: Thread, messages: Sequence[Message] = ()) -> None:
        """With its first messages, whole or not at all. Durable. A known id changes nothing."""

    def modify_thread(self, thread: Thread, *, what: str = "") -> None:
        """Replace the thread's own fields whole and atomically. Durable. An unknown id inserts.
        `what` names the act for `changes` (a rename); an empty one is not listed there."""

    def read(self, thread_id: str) -> Contents:
        """Read everything; writes nothing. Cheap, and the same value as the last time, while
        nothing changed. Raises NotFound for an unknown thread and
        StorageFailed when the log cannot be read (which is never an empty thread)."""

    def create_message(self, thread_id: str, message: Message) -> None:
        """Durable. A known id changes nothing (its modify may have come first). Raises as
        `write` does."""

    def write(
        self,
        thread_id: str,
        records: Sequence[Record],
        *,
        what: str = "",
        durable: bool = True,
        active_root: ActiveRoot | None = None,
    ) -> None:
        """Append all records in one write: a reader sees all of them or, after a crash, a
        prefix of whole records. Then the thread's active root, if one is given, as part of the
        same act. `what` names the act for `changes`; an empty one (streaming checkpoints,
        pointers) is not listed there. Durable, or only flushed.
        Raises StorageFailed with nothing acknowledged, also when the log cannot be read first;
        Damaged when a root is given and thread.json cannot be read; BadInput for a message
        without id or role, or nested too deeply."""

    def changes(self, thread_id: str) -> list[Change]:
        """Acts that can be undone, newest first, at most 30 days old."""

    def undo(self, thread_id: str, change_id: str) -> Contents:
        """Put back what that act changed, as a new act (so an undo can be undone). Durable.
        A message that the act created goes with everything that hangs on it by now; a deleted
        one comes back in its place; pointers that moved on since stay. Raises NotFound for an
        unknown act, and Conflict when what it changed was changed again or is back already."""

    def as_of(self, thread_id: str, moment_ms: int) -> Contents:
        """The messages as they were at that moment; nothing is written."""

    def thread_as_of(self, thread_id: str, moment_ms: int) -> Thread:
        """The thread's own fields as they were, as far as named acts changed them since; the
        others as they are. Nothing is written. Raises NotFound, or Damaged."""

    def rewrite(self, thread_id: str) -> None:
        """Drop superseded bytes from the log now; they stay in the history for 30 days."""

    def delete_thread(self, thread_id: str) -> None:
        """Move to the trash. Raises NotFound."""

    def trash(self) -> list[TrashedThread]:
        """Newest first."""

    def restore_thread(self, thread_id: str) -> None:
        """Back from the trash, as it was. Raises NotFound, or Conflict if the id is in use."""

    def empty_trash(
        self, older_than_ms: int | None = None, whose: Callable[[str], bool] | None = None
    ) -> int:
        """Remove for good what was deleted before that moment (all, if None), and whose owner
        fits `whose`, if it is given. Returns how many."""

    def close(self) -> None:
        """Release files and locks. Idempotent."""
