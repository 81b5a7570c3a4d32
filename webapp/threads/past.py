"""What was done in a thread lately, how to take it back, and the thread as it was."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from webapp.chat.records import Decision
from webapp.chat.tree import Tree
from webapp.errors import BadInput
from webapp.threads import undo
from webapp.threads.desk import Desk
from webapp.threads.history import KEPT_MS
from webapp.threads.store import Change
from webapp.threads.view import ThreadView, window

_SWITCHED: Final = "Switched to "


class Past:
    """Every method raises NotFound for a thread that is not there. Looking writes nothing."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def changes(self, thread_id: str) -> list[Change]:
        """Acts that can be taken back, newest first, at most 30 days old."""
        with self._desk.held(thread_id):
            return self._desk.store.changes(thread_id)

    def undo(self, thread_id: str, change_id: str) -> None:
        """Take back one act (durable), as a new act. Raises NotFound for an unknown one, Conflict
        when what it changed was changed again since or an answer to it is being written."""
        with self._desk.held(thread_id) as opened:
            known = {change.id for change in self._desk.store.changes(thread_id)}
            if change_id not in known:
                raise undo.unknown_change()
            self._desk.undo(opened, change_id)

    def as_of(
        self, thread_id: str, moment_ms: int, *, before: str | None = None, limit: int = 40
    ) -> ThreadView:
        """The last `limit` messages of the path that was active then, or of its part just before
        `before`. Raises BadInput for a moment of which nothing is known."""
        self._check(moment_ms)
        with self._desk.held(thread_id) as opened:
            store, thread, damaged = self._desk.store, opened.thread, opened.damaged
            if not damaged:
                thread = store.thread_as_of(thread_id, moment_ms)
            contents = store.as_of(thread_id, moment_ms)
        tree = Tree(contents.messages, thread.active_root_id)
        view = ThreadView(thread, (), contents.notices, damaged=damaged)
        return window(view, tree, tree.active_leaf(), before=before, limit=limit)

    def is_shown(self, thread_id: str, message_id: str) -> bool:
        """Whether a message is on the path that the thread opens with."""
        with self._desk.held(thread_id) as opened:
            return opened.tree.on_active_path(opened.tree.message(message_id).id)

    def _check(self, moment_ms: int) -> None:
        now = self._desk.clock_ms()
        if moment_ms > now:
            raise BadInput("That moment is in the future.", do="Choose one that has passed.")
        if moment_ms < now - KEPT_MS:
            raise BadInput(
                "Earlier states of a thread are kept for 30 days; that moment is longer ago.",
                do="Choose a later one.",
            )


def grouped(changes: Iterable[Change]) -> list[tuple[Change, ...]]:
    """One act each, but switches that follow each other together: walking to and fro between
    versions changes no word, and must not hide what did."""
    groups: list[tuple[Change, ...]] = []
    for switches, run in groupby(changes, key=is_switch):
        together = tuple(run)
        groups += [together] if switches else [(change,) for change in together]
    return groups


def switched(tree: Tree, message_id: str, decision: Decision) -> str:
    """What a switch is called; empty when it changes nothing."""
    if not decision.records and decision.active_root is None:
        return ""
    versions = tree.siblings(message_id)
    pointers = len(decision.records) + (decision.active_root is not None)
    if (
        pointers > 1
        or len(versions) == 1
        or tree.active_child(tree.parent(message_id)) == message_id
    ):
        return f"{_SWITCHED}another branch"
    return f"{_SWITCHED}version {versions.index(message_id) + 1} of {len(versions)}"


def is_switch(change: Change) -> bool:
    """Or the undoing of one."""
    return _act(change).startswith(_SWITCHED)


def is_undoing(change: Change) -> bool:
    """Whether it took back an act, or a taking back of a taking back."""
    return change.what.startswith(undo.UNDID)


def _act(change: Change) -> str:
    return change.what.removeprefix(undo.UNDID).removeprefix(undo.REDID)
