"""Threads get a title in idle time after their first answer; never over one that a person gave."""

from __future__ import annotations

import threading

from webapp.chat import titles
from webapp.engines.engine import Request, Sampling
from webapp.errors import StrataError
from webapp.generation.idle import IdleWork
from webapp.generation.line import Run
from webapp.generation.window import Window
from webapp.threads.library import ThreadLibrary

CALM = Sampling(temperature=0.0)


class Titles:
    """A thread is expected to get a title from the moment its first answer is begun until that
    has come, or has come to nothing."""

    def __init__(self, idle: IdleWork, library: ThreadLibrary, window: Window) -> None:
        self._idle = idle
        self._library = library
        self._window = window
        self._expected: set[str] = set()
        self._lock = threading.Lock()

    def expected(self, thread_id: str) -> bool:
        """Whether a better title is on its way."""
        with self._lock:
            return thread_id in self._expected

    def begun(self, thread_id: str) -> None:
        """An answer of that thread is begun."""
        try:
            wanted = self._library.first_words(thread_id) is not None
        except StrataError:
            return
        with self._lock:
            (self._expected.add if wanted else self._expected.discard)(thread_id)

    def answered(self, run: Run) -> None:
        """That answer is over."""
        thread_id = run.live.thread_id
        if not self.expected(thread_id):
            return
        if run.live.snapshot().phase == "ready":
            self._idle.add(TitleJob(self, run, self._library, self._window))
        else:
            self.forget(thread_id)

    def forget(self, thread_id: str) -> None:
        with self._lock:
            self._expected.discard(thread_id)


class TitleJob:
    """The title of one thread, after the answer of `run`."""

    def __init__(self, owner: Titles, run: Run, library: ThreadLibrary, window: Window) -> None:
        self._owner = owner
        self._run = run
        self._library = library
        self._window = window
        self._thread_id = run.live.thread_id
        self._instead_of = ""

    @property
    def key(self) -> str:
        return f"title-{self._thread_id}"

    def request(self) -> Request | None:
        first_words = self._library.first_words(self._thread_id)
        if first_words is None:
            return None
        self._instead_of = first_words
        answer = self._library.message(self._thread_id, self._run.answer.id)
        said = titles.asked(self._run.sent, answer.text)
        return self._window.request(self.key, said, titles.LONGEST_REPLY, CALM)

    def enough(self, text: str, /) -> bool:
        return titles.is_enough(text)

    def done(self, text: str | None) -> None:
        try:
            title = titles.title_in(text or "")
            if self._instead_of and text is not None:
                self._library.entitle(self._thread_id, title, instead_of=self._instead_of)
        finally:
            self._owner.forget(self._thread_id)
