"""A growing answer that any number of readers watch, each at their own pace.

The generating side never touches a socket: it changes the state and wakes the readers. A reader
holds a version number; a slow one gets fewer, larger steps, and no queue can grow.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Literal

Phase = Literal["queued", "reading", "thinking", "writing", "ready", "stopped", "error"]
OVER: frozenset[Phase] = frozenset({"ready", "stopped", "error"})


@dataclass(frozen=True)
class Snapshot:
    """The whole state at one moment. `detail` is a sentence for the reader, or empty."""

    version: int
    text: str
    phase: Phase
    detail: str = ""

    @property
    def done(self) -> bool:
        return self.phase in OVER


class LiveAnswer:
    """One answer being made. Versions count up by one with every change. `text` is what it
    begins with, when it goes on from an earlier one."""

    def __init__(self, thread_id: str, message_id: str, text: str = "") -> None:
        self.thread_id = thread_id
        self.message_id = message_id
        self._changed = threading.Condition()
        self._now = Snapshot(version=0, text=text, phase="queued")

    def snapshot(self) -> Snapshot:
        with self._changed:
            return self._now

    def wait(self, after_version: int, timeout: float) -> Snapshot:
        """The state as soon as its version passes `after_version`; at the time-out (seconds),
        the state as it is."""
        with self._changed:
            self._changed.wait_for(lambda: self._now.version > after_version, timeout)
            return self._now

    def wait_done(self, timeout: float) -> Snapshot:
        """The state once the answer is over, or at the time-out (seconds)."""
        with self._changed:
            self._changed.wait_for(lambda: self._now.done, timeout)
            return self._now

    def grow(self, piece: str, phase: Phase = "writing") -> None:
        detail = "Thinking." if phase == "thinking" else ""
        with self._changed:
            self._step(text=self._now.text + piece, phase=phase, detail=detail)

    def show(self, phase: Phase, detail: str = "") -> None:
        with self._changed:
            if (phase, detail) != (self._now.phase, self._now.detail):
                self._step(phase=phase, detail=detail)

    def _step(self, **changes: str) -> None:
        self._now = replace(self._now, version=self._now.version + 1, **changes)  # type: ignore[arg-type]
        self._changed.notify_all()
