"""Where the engine in use is: the others keep what they were given while it is exchanged.

What the old one was asked goes on there until it is done; it is closed after that.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from webapp.engines.engine import EmbedKind, Engine, EngineInfo, Event, Request, Turn


@runtime_checkable
class Loadable(Protocol):
    """An engine whose model can be put into memory and taken out."""

    def load(self) -> None:
        """Begin loading and come back at once. Raises EngineFailed."""

    def unload(self) -> None:
        """Give the memory back until the model is needed again. Raises Conflict while it is at
        work."""


class EngineSlot:
    """An Engine that hands everything on to `current`."""

    def __init__(self, engine: Engine) -> None:
        self._lock = threading.Lock()
        self._busy: Counter[Engine] = Counter()
        self._retired: set[Engine] = set()
        self.current = engine

    def exchange(self, engine: Engine) -> None:
        """What is asked from now on goes to `engine`."""
        with self._lock:
            old, self.current = self.current, engine
            if self._busy[old]:
                self._retired.add(old)
                return
        old.close()

    def load(self) -> None:
        """Nothing happens where the model is not ours to load."""
        if isinstance(self.current, Loadable):
            self.current.load()

    def unload(self) -> None:
        if isinstance(self.current, Loadable):
            self.current.unload()

    @property
    def can_load(self) -> bool:
        return isinstance(self.current, Loadable)

    def describe(self) -> EngineInfo:
        return self.current.describe()

    def count(self, turns: Sequence[Turn], tools: Sequence[dict[str, Any]] = ()) -> int:
        with self._in_use() as engine:
            return engine.count(turns, tools)

    def generate(self, request: Request) -> Iterator[Event]:
        with self._lock:
            engine = self.current
            events = engine.generate(request)
        return self._events(engine, events)

    def cancel(self, request_id: str) -> None:
        with self._lock:
            engines = {self.current, *self._retired}
        for engine in engines:
            engine.cancel(request_id)

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> list[list[float]]:
        with self._in_use() as engine:
            return engine.embed(texts, kind)

    def close(self) -> None:
        with self._lock:
            engines = {self.current, *self._retired}
        for engine in engines:
            engine.close()

    def _events(self, engine: Engine, events: Iterator[Event]) -> Iterator[Event]:
        with self._held(engine):
            yield from events

    @contextmanager
    def _in_use(self) -> Iterator[Engine]:
        with self._held(self.current) as engine:
            yield engine

    @contextmanager
    def _held(self, engine: Engine) -> Iterator[Engine]:
        """Nobody closes it meanwhile."""
        with self._lock:
            self._busy[engine] += 1
        try:
            yield engine
        finally:
            with self._lock:
                self._busy[engine] -= 1
                over = engine in self._retired and not self._busy[engine]
                if over:
                    self._retired.discard(engine)
            if over:
                engine.close()
