"""Reads what was said with the embedding model, on a thread of its own, while nobody waits for an
answer: a few sentences, then a pause as long as they took.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

import numpy as np

from webapp.errors import StrataError
from webapp.search.meaning import Meaning, Unread
from webapp.search.vector_file import Vectors

log = logging.getLogger(__name__)

AT_ONCE: Final = 4  # parts, before anybody else is let in
_LEAST_PAUSE: Final = 0.05
_LOOKS_AGAIN: Final = 1.0
_FIRST_DELAY: Final = 5.0
_LONGEST_DELAY: Final = 300.0
_PASSED_OVER: Final = 50


class MeaningReader:
    """`quiet` says whether the model may be used now; `on`, whether anything is read and kept."""

    def __init__(self, meaning: Meaning, *, on: bool = True) -> None:
        self._meaning = meaning
        self.on = on
        self.quiet: Callable[[], bool] = lambda: True
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._passed_over: deque[int] = deque(maxlen=_PASSED_OVER)
        self._delay = _FIRST_DELAY

    def start(self) -> None:
        """Once."""
        self._thread = threading.Thread(target=self._run, name="meaning", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Idempotent. What is not read stays unread."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout=3)

    def read_one(self) -> bool:
        """The newest message that is new; whether there was one, and it was not broken off."""
        self._meaning.wipe()
        vectors = self._meaning.vectors()
        self._meaning.begin(vectors.model)
        unread = self._meaning.next_unread(self._passed_over)
        if unread is None:
            return False
        try:
            read = self._read(unread)
        except StrataError:
            self._passed_over.append(unread.place)
            raise
        if read is not None:
            self._meaning.keep(unread, vectors.model, read)
        return read is not None

    # --- inside ---

    def _run(self) -> None:
        pause = _LOOKS_AGAIN
        while not self._closing.wait(pause):
            pause = self._step()

    def _step(self) -> float:
        """How long to wait before the next one."""
        try:
            if not self.on:
                self._meaning.forget()
            elif not self.quiet():
                self._meaning.wipe()
            elif self.read_one():
                self._delay = _FIRST_DELAY
                return _LEAST_PAUSE
        except (StrataError, sqlite3.Error, OSError) as error:
            log.info("what was said is not read for its meaning now: %s", error)
            self._delay = min(2 * self._delay, _LONGEST_DELAY)
            return self._delay
        except Exception:
            log.exception("what was said is not read for its meaning now")
            return _LONGEST_DELAY
        return _LOOKS_AGAIN

    def _read(self, unread: Unread) -> Vectors | None:
        """None when it is to end."""
        vectors, texts = self._meaning.vectors(), unread.texts
        found: list[Vectors] = [np.empty((0, vectors.model.dimension), np.float32)]
        for first in range(0, len(texts), AT_ONCE):
            began = time.monotonic()
            found.append(vectors.of_questions(texts[first : first + AT_ONCE]))
            if not self._paused(time.monotonic() - began):
                return None
        return np.concatenate(found)

    def _paused(self, seconds: float) -> bool:
        """As long as it took, and until it is quiet; whether to go on."""
        self._closing.wait(seconds)
        while not self._closing.is_set() and not (self.on and self.quiet()):
            self._closing.wait(_LOOKS_AGAIN)
        return not self._closing.is_set()
