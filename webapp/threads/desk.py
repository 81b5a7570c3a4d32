"""Where open threads are written: to the store and to the tree in memory, in one step.

Who writes holds the thread (`held`); every method that takes an `OpenThread` expects that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from webapp.chat import branching
from webapp.chat.branches import marked
from webapp.chat.messages import Message, Role, Thread, new_message
from webapp.chat.records import ActiveRoot, Decision, Record
from webapp.threads.opened import OpenThread, OpenThreads
from webapp.threads.store import ThreadStore


class Desk:
    """`clock_ms` gives milliseconds since 1970, `new_id` a fresh id."""

    def __init__(
        self,
        store: ThreadStore,
        *,
        clock_ms: Callable[[], int],
        new_id: Callable[[], str],
        keep_open: int,
    ) -> None:
        self.store = store
        self.clock_ms = clock_ms
        self.new_id = new_id
        self.open_threads = OpenThreads(store, keep_open)

    def held(self, thread_id: str) -> AbstractContextManager[OpenThread]:
        """The thread under its lock. Raises NotFound."""
        return self.open_threads.held(thread_id)

    def new_message(
        self,
        role: Role,
        thread_id: str,
        text: str,
        parent: str | None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Message:
        return new_message(
            id=self.new_id(),
            thread_id=thread_id,
            role=role,
            text=text,
            created_at=self.clock_ms(),
            metadata={"parentId": parent, **(metadata or {})},
        )

    def decide(
        self, opened: OpenThread, decision: Decision, *, durable: bool = True, what: str = ""
    ) -> None:
        self.write(opened, decision.records, durable=durable, root=decision.active_root, what=what)
        if decision.active_root:
            pointed = {"activeRootId": decision.active_root.message_id}
            opened.tree.set_active_root(decision.active_root.message_id)
            opened.thread = opened.thread.with_metadata(pointed)

    def write(
        self,
        opened: OpenThread,
        records: tuple[Record, ...],
        *,
        durable: bool = True,
        root: ActiveRoot | None = None,
        what: str = "",
    ) -> None:
        if what and opened.unwritten:
            # What repair on reading found is not part of an act that may be undone.
            self.write(opened, ())
        whole = (*opened.unwritten, *records)
        # A damaged thread.json is never written to; the choice of a root then lasts until closed.
        kept_root = None if opened.damaged else root
        if whole or kept_root:
            self.store.write(
                opened.thread.id, whole, durable=durable, active_root=kept_root, what=what
            )
        opened.unwritten = ()
        opened.tree.apply(whole)

    def show(self, opened: OpenThread, message_id: str) -> None:
        """Make the path through that message the active one, if it is not. Flushed."""
        if not opened.tree.on_active_path(message_id):
            self.decide(opened, branching.switch(opened.tree, message_id), durable=False)

    def save_thread(self, opened: OpenThread, thread: Thread, *, what: str = "") -> None:
        self.store.modify_thread(thread, what=what)
        opened.thread = thread

    def undo(self, opened: OpenThread, change_id: str) -> None:
        """Take back an act (durable), and read again what the store made of it. Raises NotFound,
        or Conflict when it was changed again since."""
        # What a crash cut short is no longer being written, and the store must know.
        self.write(opened, ())
        self.store.undo(opened.thread.id, change_id)
        self.open_threads.read_again(opened)
        self.list_branches(opened)

    def list_branches(self, opened: OpenThread) -> None:
        """Keep the thread's own list of marked branches, which the list of threads shows."""
        rows = [branch.to_json() for branch in marked(opened.tree)]
        if not opened.damaged and rows != opened.thread.metadata.get("branches", []):
            self.save_thread(opened, opened.thread.with_metadata({"branches": rows}))
