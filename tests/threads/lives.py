"""A data directory with a past, everything a person may do in it, and all that can be seen of it.

Ids and times differ from run to run; what is seen is told in texts, so that runs compare."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from tests.conftest import Clock
from webapp.chat.records import Put
from webapp.threads.library import ThreadLibrary

_FILE = "files/f1/original"


class Life:
    """A library over a store, as a person uses it. Threads go by their titles, messages by their
    texts."""

    def __init__(self, open_store, root, start=None):
        self.root = root
        clock = Clock(start or later())
        numbers = itertools.count()
        self.store = open_store(root, clock)
        self.library = ThreadLibrary(
            self.store, clock_ms=clock, new_id=lambda: f"{clock.now}-{next(numbers)}"
        )
        self.acts, self.past = self.library.acts, self.library.past

    def close(self):
        self.library.close()

    @property
    def t(self):
        """The thread with a past."""
        return self.thread("Harbour walk", "Pier walk")

    @property
    def q2(self):
        return self.library.message(self.t, self.id("q2"))

    def thread(self, *titles):
        return next(each.id for each in self.library.threads() if each.title in titles)

    def id(self, text):
        found = self.store.read(self.t).messages
        return next(each.id for each in found if each.text == text)

    def answer(self, question, text):
        pending = self.library.begin_answer(self.t, self.id(question))
        self.finish(pending.id, text)

    def finish(self, answer_id, text):
        self.library.finish_answer(
            self.t, answer_id, text=text, status="ready", error="", usage={"tokens": 5}
        )

    def undo(self):
        """The newest act that is no undoing itself."""
        changes = self.past.changes(self.t)
        change = next(each for each in changes if not each.what.startswith("Undid"))
        self.past.undo(self.t, change.id)

    def trash(self, title):
        self.library.delete(self.thread(title))

    def restore(self, title):
        entry = next(each for each in self.library.trash() if each.title == title)
        self.library.restore(entry.id)

    def shown(self):
        """What the library shows of each thread, out of its memory."""
        return sorted(
            (each.title, tuple(one.message.text for one in self.library.view(each.id).shown))
            for each in self.library.threads()
        )


_MOMENTS = itertools.count(1_767_225_600_000, 5_000)


def later():
    """A moment for the next process to begin at."""
    return next(_MOMENTS)


def live(open_store, root):
    """Branches at two depths and at the root, acts of every kind, a rewritten log, files, a full
    trash."""
    life = Life(open_store, root)
    library, acts = life.library, life.acts
    for title in ("Old pier", "Older pier", "Harbour walk", "Back again"):
        thread_id = library.create(title).id
        path = root / "threads" / thread_id / _FILE
        path.parent.mkdir(parents=True)
        path.write_text(title)
        library.ask(thread_id, f"A question of {title}")
    library.ask(life.t, "q1", after=life.id("A question of Harbour walk"))
    life.answer("q1", "a1")
    life.answer("q1", "b1")
    library.ask(life.t, "q2")
    life.answer("q2", "a2")
    acts.edit(life.t, life.id("A question of Harbour walk"), "Another beginning")
    library.switch(life.t, life.id("q2"))
    library.ask(life.t, "gone")
    life.answer("gone", "gone too")
    library.ask(life.t, "last")
    acts.delete(life.t, life.id("gone"), all_versions=False)
    life.store.rewrite(life.t)
    library.rename(life.t, "Harbour")
    library.rename(life.thread("Harbour"), "Harbour walk")
    life.trash("Old pier")
    life.trash("Older pier")
    life.close()


@dataclass(frozen=True)
class Act:
    """`before` is done first, on a disk without fault."""

    do: Callable[[Life], object]
    before: Callable[[Life], object] = lambda life: None


def _edit(text, better):
    return lambda life: life.acts.edit(life.t, life.id(text), better)


def _delete(text):
    return lambda life: life.acts.delete(life.t, life.id(text), all_versions=False)


def _switch(text):
    return lambda life: life.library.switch(life.t, life.id(text))


def _begin(life):
    life.pending = life.library.begin_answer(life.t, life.id("q2")).id


def _grow(life):
    """As large as a log may become before it is rewritten by itself."""
    q2 = life.q2
    for fill in "xy":
        life.store.write(life.t, [Put(q2.with_text(fill * 700_000))], durable=False)


def _shrink(life):
    messages = life.store.read(life.t).messages
    life.store.write(life.t, [Put(each.with_text("q2")) for each in messages if _is_big(each)])


def _is_big(message):
    return len(message.text) > 600_000


def _rewrite(life):
    life.store.rewrite(life.t)


def _in_turn(*steps):
    return lambda life: [step(life) for step in steps]


NAMED = {
    "edit": _edit("a2", "a2, better"),
    "edit the beginning": _edit("A question of Harbour walk", "Begun anew"),
    "edit what is not shown": _edit("a1", "a1, better"),
    "delete": _delete("b1"),
    "delete the beginning": _delete("A question of Harbour walk"),
    "switch": _switch("a1"),
    "switch the beginning": _switch("Another beginning"),
    "mark": lambda life: life.acts.mark(life.t, life.id("b1"), name="Kept", starred=True),
    "rename": lambda life: life.library.rename(life.t, "Pier walk"),
}
ACTS = {
    "create a thread": Act(lambda life: life.library.create("New")),
    "ask": Act(lambda life: life.library.ask(life.t, "q3")),
    "ask elsewhere": Act(lambda life: life.library.ask(life.t, "q3", after=life.id("a1"))),
    "begin answers": Act(lambda life: life.acts.begin_answers(life.t, life.id("q2"), 3)),
    "extend an answer": Act(
        lambda life: life.library.extend_answer(life.t, life.pending, "so far"), _begin
    ),
    "finish an answer": Act(lambda life: life.finish(life.pending, "whole"), _begin),
    **{name: Act(do) for name, do in NAMED.items()},
    **{f"undo {name}": Act(Life.undo, do) for name, do in NAMED.items()},
    "undo delete after a rewrite": Act(Life.undo, _in_turn(NAMED["delete"], _rewrite)),
    "fork": Act(lambda life: life.acts.fork(life.t, life.id("a2"))),
    "put into the trash": Act(lambda life: life.trash("Back again")),
    "restore": Act(lambda life: life.restore("Old pier")),
    "empty the trash": Act(lambda life: life.library.empty_trash()),
    "rewrite": Act(_rewrite, NAMED["delete"]),
    "tidy up": Act(_shrink, _grow),
}


def seen(open_store, root):
    """What a store that never saw what was done before has, of each thread by its title."""
    life = Life(open_store, root)
    try:
        store = life.store
        threads = {_name(each): _seen(life, each) for each in store.list_threads()}
        trash = root / "trash"
        gone = [
            (each.title, _files(trash / f"{each.deleted_at}.{each.id}")) for each in store.trash()
        ]
        return Seen(threads, sorted(gone))
    finally:
        life.close()


@dataclass(frozen=True)
class Seen:
    threads: dict
    trash: list


@dataclass(frozen=True)
class SeenThread:
    """Texts stand for ids. A message is its text, status, parent and active child."""

    messages: list
    root: str | None
    changes: list
    notices: tuple
    files: str


def _name(thread):
    return thread.title + (", forked" if "forkedFrom" in thread.metadata else "")


def _seen(life, thread):
    contents = life.store.read(thread.id)
    texts = {each.id: each.text for each in contents.messages}
    messages = [
        (each.text, each.status, texts.get(each.parent_id), texts.get(each.active_child_id))
        for each in contents.messages
    ]
    changes = [each.what for each in life.store.changes(thread.id)]
    root = texts.get(thread.active_root_id)
    files = _files(life.root / "threads" / thread.id)
    return SeenThread(messages, root, changes, contents.notices, files)


def _files(folder):
    path = folder / _FILE
    return path.read_text() if path.exists() else ""
