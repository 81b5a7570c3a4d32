"""The one writer of threads: every change goes through here, to the store and to the open tree.

A thread that was looked at stays open: its tree is indexed once and then follows each change, so
that a turn costs its own records and a page costs the messages on it, whatever the length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from webapp.chat import authors, branching
from webapp.chat.assistant import Assistant, of_thread, with_assistant
from webapp.chat.messages import Message, Thread, new_thread
from webapp.chat.records import Append, Put
from webapp.chat.tree import Tree
from webapp.chat.wording import checked_text, checked_title, clean, title_from
from webapp.errors import NotFound, StorageFailed
from webapp.threads.acts import TreeActs
from webapp.threads.desk import Desk
from webapp.threads.marks import Marks
from webapp.threads.membership import Membership
from webapp.threads.opened import OpenThread
from webapp.threads.ownership import owned
from webapp.threads.past import Past, switched
from webapp.threads.projects import LINK, Projects
from webapp.threads.sharing import Sharing
from webapp.threads.store import DamagedThread, ThreadStore, TrashedThread
from webapp.threads.view import Shown, ThreadView, shown, window

DRAFT = "draft"


class ThreadLibrary:
    """`clock_ms` gives milliseconds since 1970, `new_id` a fresh id. `acts` are what a person
    does to a tree besides asking and switching: edit, delete, undo, name, fork;
    `marks` are what they want of the window; `past` lists and takes back what was done, and
    shows a thread as it was; `membership` says which of the `projects` a thread is in."""

    def __init__(
        self,
        store: ThreadStore,
        *,
        clock_ms: Callable[[], int],
        new_id: Callable[[], str],
        projects: Projects | None = None,
        keep_open: int = 64,
    ) -> None:
        self._store = store
        self._clock_ms = clock_ms
        self._desk = Desk(store, clock_ms=clock_ms, new_id=new_id, keep_open=keep_open)
        self.acts = TreeActs(self._desk)
        self.past = Past(self._desk)
        self.marks = Marks(self._desk)
        self.membership = Membership(self._desk, projects)
        self.sharing = Sharing(self._desk)

    # --- threads ---

    def threads(self) -> list[Thread | DamagedThread]:
        """Newest first."""
        return self._store.list_threads()

    def thread(self, thread_id: str) -> Thread:
        with self._desk.held(thread_id) as opened:
            return opened.thread

    def create(
        self,
        title: str = "",
        assistant: Assistant | None = None,
        *,
        draft: str = "",
        project_id: str = "",
        owner: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> Thread:
        """With a snapshot of `assistant`. `draft` was typed before; the first question ends it."""
        seconds = self._clock_ms() / 1000
        thread = new_thread(id=self._desk.new_id(), title=title_from(title), created=seconds)
        fields: dict[str, Any] = {DRAFT: clean(draft)} if draft else {}
        fields |= {LINK: {"id": project_id}} if project_id else {}
        fields |= {**owned(owner), **(facts or {})}
        thread = with_assistant(thread, assistant).with_metadata(fields)
        self._store.create_thread(thread)
        return thread

    def rename(self, thread_id: str, title: str) -> Thread:
        wanted = checked_title(title)
        with self._desk.held(thread_id) as opened:
            # Renaming is no new word in the thread: its place in the list stays.
            renamed = opened.thread.with_fields(title=wanted).with_metadata({"titledBy": "person"})
            what = f"Renamed to “{wanted}”" if wanted != opened.thread.title else ""
            self._desk.save_thread(opened, renamed, what=what)
            return renamed

    def set_window(self, thread_id: str, settings: Mapping[str, object]) -> Thread:
        """The thread's own settings of its window, whole; an act that can be undone."""
        with self._desk.held(thread_id) as opened:
            if dict(settings) != (opened.thread.metadata.get("window") or {}):
                changed = opened.thread.with_metadata({"window": dict(settings)})
                self._desk.save_thread(opened, changed, what="Changed the window's settings")
            return opened.thread

    def first_words(self, thread_id: str) -> str | None:
        """The title, while it is but the first words of a question; None for any other title."""
        with self._desk.held(thread_id) as opened:
            thread, tree = opened.thread, opened.tree
            if "titledBy" in thread.metadata or not thread.title:
                return None
            questions = (tree.message(each).text for each in tree.children(None))
            return thread.title if thread.title in map(title_from, questions) else None

    def entitle(self, thread_id: str, title: str, *, instead_of: str) -> None:
        """A title made by the model, in place of the first words alone; with an empty one these
        stay for good. Its place in the list stays."""
        with self._desk.held(thread_id) as opened:
            thread = opened.thread
            if "titledBy" in thread.metadata or thread.title != instead_of or opened.damaged:
                return
            by = "model" if title else "words"
            named = thread.with_fields(title=title_from(title) or instead_of)
            self._desk.save_thread(opened, named.with_metadata({"titledBy": by}))

    def delete(self, thread_id: str) -> None:
        """To the trash; `restore` brings it back as it was."""
        with self._desk.open_threads.reserved(thread_id) as slot:
            self._store.delete_thread(thread_id)
            slot.opened = None

    def restore(self, thread_id: str) -> None:
        with self._desk.open_threads.reserved(thread_id) as slot:
            self._store.restore_thread(thread_id)
            slot.opened = None

    def trash(self) -> list[TrashedThread]:
        return self._store.trash()

    def empty_trash(
        self, older_than_ms: int | None = None, whose: Callable[[str], bool] | None = None
    ) -> int:
        """Remove for good what was deleted before that moment (all, if None); how many."""
        return self._store.empty_trash(older_than_ms, whose)

    def close(self) -> None:
        """Release what the store holds. Idempotent."""
        self._store.close()

    # --- reading ---

    def view(
        self, thread_id: str, *, at: str | None = None, before: str | None = None, limit: int = 40
    ) -> ThreadView:
        """The last `limit` messages of the active path, or of the path through `at`, or of the
        part of it that ends just before `before`. Raises NotFound."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            leaf = tree.leaf_through(at) if at else tree.active_leaf()
            view = ThreadView(opened.thread, (), opened.notices, damaged=opened.damaged)
            return window(view, tree, leaf, before=before, limit=limit)

    def message(self, thread_id: str, message_id: str) -> Message:
        with self._desk.held(thread_id) as opened:
            return opened.tree.message(message_id)

    def further(self, thread_id: str, message_id: str, steps: int) -> str | None:
        """The message so many steps below on the path through it; None if it ends before."""
        with self._desk.held(thread_id) as opened:
            at: str | None = opened.tree.message(message_id).id
            for _ in range(steps):
                at = opened.tree.active_child(at) if at is not None else None
            return at

    def has(self, thread_id: str, message_id: str) -> bool:
        with self._desk.held(thread_id) as opened:
            return message_id in opened.tree

    def shown(self, thread_id: str, message_id: str) -> Shown:
        """One message with its versions."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            return shown(tree, tree.message(message_id).id, tree.active_leaf())

    def question_of(self, thread_id: str, message_id: str) -> str:
        """The question that `message_id` answers."""
        with self._desk.held(thread_id) as opened:
            return branching.regenerate_parent(opened.tree, message_id)

    def answer_shown(self, thread_id: str, question_id: str) -> str | None:
        """The version that stands under a question now; None when it has no answer."""
        with self._desk.held(thread_id) as opened:
            opened.tree.message(question_id)
            return opened.tree.active_child(question_id)

    def path(self, thread_id: str, at: str | None = None) -> list[Message]:
        """Messages from the root to `at`, or to the end of the active path."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            ids = tree.path_to(at) if at else tree.active_path()
            return [tree.message(each) for each in ids]

    def path_before(self, thread_id: str, message_id: str) -> list[Message]:
        """Messages from the root to the parent of `message_id`."""
        with self._desk.held(thread_id) as opened:
            tree = opened.tree
            return [tree.message(each) for each in tree.path_to(message_id)[:-1]]

    def instructions(self, thread_id: str) -> str:
        """What the thread's assistant is told first, after what holds for its whole project;
        empty when there is nothing."""
        with self._desk.held(thread_id) as opened:
            assistant = of_thread(opened.thread)
        own = assistant.instructions if assistant else ""
        project = self.membership.of(thread_id)
        return "\n\n".join(filter(None, (project.instructions if project else "", own)))

    # --- writing ---

    def ask(self, thread_id: str, text: str, *, after: str | None = None, by: str = "") -> Message:
        """Store a question (durable) under the newest leaf below `after`, or below the active
        leaf. Raises BadInput for text that cannot be a message; nothing is stored then."""
        words = checked_text(text)
        with self._desk.held(thread_id) as opened:
            parent = self._reply_parent(opened.tree, after)
            question = self._desk.new_message("user", thread_id, words, parent, authors.noted(by))
            self._desk.decide_in_turn(opened, self._desk.added(opened, question))
            # The question is saved: a disk that refuses its thread a new date does not deny it.
            with suppress(StorageFailed):
                self._touch(opened, words)
            return opened.tree.message(question.id)

    def begin_answer(self, thread_id: str, question_id: str) -> Message:
        """Store a pending answer (flushed) under that question, as its newest version."""
        return self.acts.begin_answers(thread_id, question_id, 1)[0]

    def extend_answer(self, thread_id: str, message_id: str, text: str) -> None:
        """A checkpoint of a streaming answer: flushed, one append."""
        with self._desk.held(thread_id) as opened:
            opened.tree.message(message_id)
            self._desk.write(opened, (Append(message_id, text),), durable=False)

    def finish_answer(
        self,
        thread_id: str,
        message_id: str,
        *,
        text: str,
        status: str,
        error: str,
        usage: Mapping[str, Any],
    ) -> None:
        """The whole answer, durable. Twice is harmless: links made meanwhile are kept."""
        with self._desk.held(thread_id) as opened:
            stored = opened.tree.message(message_id)
            facts: dict[str, Any] = {"usage": dict(usage)}
            if error:
                facts["error"] = error
            whole = stored.with_text(text).with_metadata(facts)
            whole = whole.with_fields(status=status, completed_at=self._clock_ms())
            self._desk.write(opened, (Put(whole),))
            opened.writing.discard(message_id)

    def switch(self, thread_id: str, message_id: str) -> None:
        """Show that version; each deeper pointer is kept. Flushed, and an act to be undone."""
        with self._desk.held(thread_id) as opened:
            decision = branching.switch(opened.tree, message_id)
            what = switched(opened.tree, message_id, decision)
            self._desk.decide(opened, decision, durable=False, what=what)

    # --- inside ---

    def _reply_parent(self, tree: Tree, after: str | None) -> str | None:
        if after is None:
            return tree.active_leaf()
        if after not in tree:
            raise NotFound(
                "The message you answered is no longer there.", do="Reload the page, then send."
            )
        return tree.leaf_through(after)

    def _touch(self, opened: OpenThread, words: str) -> None:
        if opened.damaged:
            return
        thread = opened.thread.with_fields(updated=self._clock_ms() / 1000)
        if not thread.title:
            thread = thread.with_fields(title=title_from(words))
        if DRAFT in thread.metadata:
            thread = thread.without_metadata(DRAFT)
        self._desk.save_thread(opened, thread)
