"""What a person does to a conversation's tree besides asking and switching, each with undo.

An act is one write with a sentence, by which the store can take it back. Nothing here waits for
a model: answers are begun by the generation service, which knows what is being written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.chat import branching
from webapp.chat.assistant import Assistant, with_assistant
from webapp.chat.branches import NAME, STAR, checked_name
from webapp.chat.messages import Message, Thread, new_thread
from webapp.chat.records import ActiveRoot, Decision, Delete, Patch, Put, Record
from webapp.chat.tree import Tree
from webapp.chat.tree_map import TreeMap, tree_map
from webapp.chat.wording import checked_text
from webapp.errors import BadInput, Conflict, NotFound
from webapp.threads.desk import Desk
from webapp.threads.opened import OpenThread
from webapp.threads.ownership import owned
from webapp.threads.past import is_switch, is_undoing
from webapp.threads.projects import LINK
from webapp.threads.store import Change

_EDITABLE: Final = ("user", "assistant")


@dataclass(frozen=True)
class Loss:
    """What deleting would take: this version with what follows it, or all versions with theirs."""

    message: Message
    version: int
    versions: int
    with_version: int
    with_all: int


class TreeActs:
    """Every method raises NotFound for a thread or message that is not there."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def edit(self, thread_id: str, message_id: str, text: str, *, by: str = "") -> Message:
        """A new version with other words (durable), shown now; parts that are not text come
        along. Raises BadInput for words that cannot be a message, Conflict while it is written."""
        words = checked_text(text)
        with self._desk.held(thread_id) as opened:
            source = opened.tree.message(message_id)
            _check_editable(source)
            new_id, now = self._desk.new_id(), self._desk.clock_ms()
            version, decision = branching.edit(opened.tree, message_id, new_id, now, words, by=by)
            what = "Edited a question" if source.role == "user" else "Edited an answer"
            self._desk.decide_in_turn(opened, self._shown(opened, decision, version.id), what=what)
            return opened.tree.message(version.id)

    def loss(self, thread_id: str, message_id: str) -> Loss:
        """How many messages would go, before anything is deleted."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            versions = tree.siblings(message_id)
            sizes = [len(tree.subtree(each)) for each in versions]
            place = versions.index(message_id)
            message = tree.message(message_id)
            return Loss(message, place + 1, len(versions), sizes[place], sum(sizes))

    def below(self, thread_id: str, message_id: str, *, all_versions: bool) -> tuple[str, ...]:
        """Ids that deleting would take, the message among them."""
        with self._desk.held(thread_id) as opened:
            return tuple(_doomed(opened.tree, message_id, all_versions))

    def delete(self, thread_id: str, message_id: str, *, all_versions: bool) -> int:
        """Delete this version, or all of them, with everything below (durable); how many."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            gone = _doomed(tree, message_id, all_versions)
            decision = branching.delete_subtree(tree, message_id)
            if all_versions:
                decision = Decision(tuple(Delete(each) for each in reversed(gone)))
            self._desk.decide(opened, decision, what=f"Deleted {_messages(len(gone))}")
            opened.writing.difference_update(gone)
            self._desk.list_branches(opened)
            return len(gone)

    def latest(self, thread_id: str, message_id: str) -> Change | None:
        """The latest act on that message that can be taken back. Reads the thread's history."""
        with self._desk.held(thread_id) as opened:
            return self._latest(opened, message_id)

    def undo(self, thread_id: str, message_id: str) -> str:
        """Take back the latest act on that message (durable); the sentence that named it.

        Raises NotFound if there is none to take back, Conflict if it was changed again since."""
        with self._desk.held(thread_id) as opened:
            change = self._latest(opened, message_id)
            if change is None:
                raise NotFound("There is nothing to undo here.", do="Acts are kept for 30 days.")
            self._desk.undo(opened, change.id)
            return change.what

    def mark(self, thread_id: str, message_id: str, *, name: str, starred: bool) -> Message:
        """Name or star the branch that begins at this message; an empty name takes it away."""
        marks = {NAME: checked_name(name) or None, STAR: True if starred else None}
        with self._desk.held(thread_id) as opened:
            opened.tree.message(message_id)
            self._desk.write(opened, (Patch(message_id, marks),), what="Marked a branch")
            self._desk.list_branches(opened)
            return opened.tree.message(message_id)

    def fork(
        self, thread_id: str, message_id: str, *, owner: str = "", in_project: bool = True
    ) -> Thread:
        """The path to this message as a thread of its own (durable). The old one stays as it is."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            path = tree.path_to(message_id)
            _check_finished(tree.message(message_id))
            new_id = self._desk.new_id()
            ids = {each: self._desk.new_id() for each in path}
            copies = branching.fork(tree, message_id, new_id, ids)
            thread = self._forked(opened, new_id, message_id, in_project)
            thread = thread.with_metadata(owned(owner))
        self._desk.store.create_thread(thread, copies)
        return thread

    def take_in(self, thread: Thread, messages: Sequence[Message]) -> None:
        """A thread that comes from elsewhere, with all that is in it (durable). A known id changes
        nothing. Raises BadInput, or StorageFailed, with nothing of it stored."""
        with self._desk.open_threads.reserved(thread.id) as slot:
            self._desk.store.create_thread(thread, messages)
            slot.opened = None

    def go_on(self, thread: Thread, messages: Sequence[Message], *, dry: bool) -> int:
        """What was added elsewhere to a thread that came from there (durable), with what is shown
        there now; how many messages. None if it went on here too, or some of it was deleted."""
        with self._desk.held(thread.id) as opened:
            tree, theirs = opened.tree, {each.id: each for each in messages}
            new = [each for each in messages if each.id not in tree]
            acts = self._desk.store.changes(thread.id) if new else []
            touched = {id for act in acts for id in act.message_ids}
            went_on_here = any(each not in theirs for each in tree)
            if opened.damaged or went_on_here or any(each.id in touched for each in new):
                return 0
            if new and not dry:
                self._desk.decide(opened, _as_there(tree, theirs, new, thread.active_root_id))
                latest = max(opened.thread.updated, thread.updated)
                self._desk.save_thread(opened, opened.thread.with_fields(updated=latest))
            return len(new)

    def map(self, thread_id: str, at: str | None = None) -> tuple[TreeMap, list[Message]]:
        """The whole tree, and the first message of each spot. The path through `at`, or else the
        active one, is the shown one."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            drawn = tree_map(tree, tree.leaf_through(at) if at else None)
            return drawn, [tree.message(spot.ids[0]) for spot in drawn.spots]

    def whole(self, thread_id: str) -> tuple[Thread, list[Message]]:
        """Its own fields and every message of it, all versions, in file order."""
        with self._desk.held(thread_id) as opened:
            return opened.thread, [opened.tree.message(each) for each in opened.tree]

    # --- answers to be written ---

    def begin_answers(self, thread_id: str, question_id: str, count: int) -> list[Message]:
        """Store `count` pending answers (flushed) as the newest versions; the first is shown."""
        with self._desk.held(thread_id) as opened:
            opened.tree.message(question_id)
            return self._begin(
                opened, [self._pending(opened, question_id, "") for _ in range(count)]
            )

    def begin_continuation(self, thread_id: str, message_id: str) -> Message:
        """Store a pending version (flushed) that begins with the words of this one."""
        with self._desk.held(thread_id) as opened:
            parent = opened.tree.parent(message_id)
            text = opened.tree.message(message_id).text
            answer = self._pending(opened, parent, text, continues=message_id)
            return self._begin(opened, [answer])[0]

    def reopen_answer(self, thread_id: str, message_id: str) -> Message:
        """Make this answer a pending one again (flushed); its words stay."""
        with self._desk.held(thread_id) as opened:
            stored = opened.tree.message(message_id)
            pending = stored.without_metadata("error").with_fields(status="pending")
            steps = self._shown(opened, Decision((Put(pending),)), message_id)
            self._desk.decide_in_turn(opened, steps, durable=False)
            opened.writing.add(message_id)
            return pending

    def forget_answers(self, thread_id: str, ids: list[str]) -> None:
        """Answers that were planned and not begun go without a trace (flushed)."""
        with self._desk.held(thread_id) as opened:
            gone = tuple(Delete(each) for each in ids if each in opened.tree)
            self._desk.write(opened, gone, durable=False)
            opened.writing.difference_update(ids)

    def choose_assistant(self, thread_id: str, assistant: Assistant | None) -> Thread:
        """A snapshot of `assistant` in place of the thread's own, or none; an act that can be
        undone. Raises Damaged."""
        with self._desk.held(thread_id) as opened:
            changed = with_assistant(opened.thread, assistant)
            if changed.data["assistants"] != (opened.thread.data.get("assistants") or []):
                named = f"“{assistant.name}”" if assistant else "none"
                self._desk.save_thread(opened, changed, what=f"Changed the assistant to {named}")
            return opened.thread

    # --- inside ---

    def _latest(self, opened: OpenThread, message_id: str) -> Change | None:
        changes = self._desk.store.changes(opened.thread.id)
        acts = (each for each in changes if not (is_undoing(each) or is_switch(each)))
        return next((each for each in acts if message_id in each.message_ids), None)

    def _pending(
        self, opened: OpenThread, parent: str | None, text: str, **metadata: str
    ) -> Message:
        thread_id = opened.thread.id
        answer = self._desk.new_message("assistant", thread_id, text, parent, metadata)
        return answer.with_fields(status="pending")

    def _begin(self, opened: OpenThread, answers: list[Message]) -> list[Message]:
        self._desk.decide_in_turn(opened, self._desk.added(opened, *answers), durable=False)
        opened.writing.update(answer.id for answer in answers)
        return [opened.tree.message(answer.id) for answer in answers]

    def _shown(self, opened: OpenThread, decision: Decision, message_id: str) -> Iterator[Decision]:
        yield decision
        yield self._desk.showing(opened, message_id)

    def _forked(self, opened: OpenThread, new_id: str, message_id: str, in_project: bool) -> Thread:
        seconds = self._desk.clock_ms() / 1000
        thread = new_thread(id=new_id, title=opened.thread.title, created=seconds)
        origin = {"thread": opened.thread.id, "message": message_id}
        kept = {
            key: opened.thread.data[key]
            for key in ("assistants", "model")
            if key in opened.thread.data
        }
        whole = opened.thread.metadata
        of_project = {LINK: whole[LINK]} if in_project and LINK in whole else {}
        return thread.with_fields(**kept).with_metadata({**of_project, "forkedFrom": origin})


def _as_there(
    tree: Tree, theirs: Mapping[str, Message], new: Sequence[Message], root: str | None
) -> Decision:
    """The new messages, and the pointers of the others."""
    records: list[Record] = [Put(each) for each in new]
    for id in tree:
        there = theirs[id].active_child_id
        if there is not None and there != tree.message(id).active_child_id:
            records.append(Patch(id, {"activeChildId": there}))
    return Decision(tuple(records), ActiveRoot(root) if root else None)


def _doomed(tree: Tree, message_id: str, all_versions: bool) -> list[str]:
    """Parents before their children."""
    versions = tree.siblings(message_id) if all_versions else (message_id,)
    return [id for version in versions for id in tree.subtree(version)]


def _check_editable(message: Message) -> None:
    if message.role not in _EDITABLE:
        raise BadInput("Only questions and answers can be edited.", do="Edit one of those.")
    _check_finished(message)


def _check_finished(message: Message) -> None:
    if message.status == "pending":
        raise Conflict(
            "This answer is still being written.", do="Wait for it or stop it, then try again."
        )


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"
