"""Where open threads are written: to the store and to the tree in memory, in one step.

Who writes holds the thread (`held`); every method that takes an `OpenThread` expects that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from webapp.chat import branching
from webapp.chat.branches import marked
from webapp.chat.messages import Message, Role, Thread, new_message
from webapp.chat.records import ActiveRoot, Decision, Record
from webapp.errors import StorageFailed
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
        self.decide_in_turn(opened, [decision], durable=durable, what=what)

    def decide_in_turn(
        self,
        opened: OpenThread,
        decisions: Iterable[Decision],
        *,
        durable: bool = True,
        what: str = "",
    ) -> None:
        """Each follows from the tree after the one before it; all are one write."""
        if what and opened.unwritten:
            # What repair on reading found is not part of an act that may be undone.
            self.write(opened, ())
        records: list[Record] = list(opened.unwritten)
        root: ActiveRoot | None = None
        with _in_step(opened):
            opened.tree.apply(opened.unwritten)
            for decision in decisions:
                records += decision.records
                root = decision.active_root or root
                _take(opened, decision)
            # A damaged thread.json is never written to; a choice of a root lasts until closed.
            kept_root = None if opened.damaged else root
            if records or kept_root:
                self.store.write(
                    opened.thread.id, records, durable=durable, active_root=kept_root, what=what
                )
            opened.unwritten = ()

    def write(
        self,
        opened: OpenThread,
        records: tuple[Record, ...],
        *,
        durable: bool = True,
        what: str = "",
    ) -> None:
        self.decide(opened, Decision(records), durable=durable, what=what)

    def added(self, opened: OpenThread, *messages: Message) -> Iterator[Decision]:
        """To store new messages, each under its parent, and show the first one."""
        for message in messages:
            yield branching.reply(opened.tree, message)
        yield self.showing(opened, messages[0].id)

    def showing(self, opened: OpenThread, message_id: str) -> Decision:
        """To make the path through that message the active one, if it is not."""
        if opened.tree.on_active_path(message_id):
            return Decision()
        return branching.switch(opened.tree, message_id)

    def save_thread(self, opened: OpenThread, thread: Thread, *, what: str = "") -> None:
        with _in_step(opened):
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
        """Keep the thread's own list of marked branches, which the list of threads shows. A disk
        that refuses does not deny the act before it: the next one lists them again."""
        rows = [branch.to_json() for branch in marked(opened.tree)]
        if not opened.damaged and rows != opened.thread.metadata.get("branches", []):
            with suppress(StorageFailed):
                self.save_thread(opened, opened.thread.with_metadata({"branches": rows}))


@contextmanager
def _in_step(opened: OpenThread) -> Iterator[None]:
    """What is in memory is what is in the store, or will be read again."""
    doubted, opened.in_doubt = opened.in_doubt, True
    yield
    opened.in_doubt = doubted


def _take(opened: OpenThread, decision: Decision) -> None:
    opened.tree.apply(decision.records)
    if decision.active_root:
        root_id = decision.active_root.message_id
        opened.tree.set_active_root(root_id)
        opened.thread = opened.thread.with_metadata({"activeRootId": root_id})
