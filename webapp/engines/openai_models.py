"""What a server lists as its models, and whether it is there at all; looked up beside all else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from webapp.errors import StrataError

_CONTEXT_KEYS: Final = ("max_model_len", "context_length", "context_window", "max_context_length")
_FRESH_SECONDS: Final = 60.0
_RETRY_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Context:
    """In tokens; 0 for what the server does not say. A model is often loaded with less than it
    was trained on."""

    loaded: int = 0
    trained: int = 0


@dataclass(frozen=True)
class Listing:
    """Names in the server's order, and what the server says of their contexts."""

    names: tuple[str, ...] = ()
    contexts: Mapping[str, Context] = field(default_factory=dict)

    def context_tokens(self, model: str, setting: int) -> int:
        """What the server says is loaded; else the setting, up to what the model can have."""
        context = self.contexts.get(model, Context())
        return context.loaded or min(setting or context.trained, context.trained or setting)


def listing_of(reply: object) -> Listing:
    """From OpenAI's list, Ollama's, or a bare one; what is no model in it is passed over."""
    found = (reply.get("data") or reply.get("models")) if isinstance(reply, Mapping) else reply
    if not isinstance(found, list):
        return Listing()
    contexts: dict[str, Context] = {}
    for entry in found:
        if isinstance(entry, Mapping) and (name := _name(entry)):
            contexts.setdefault(name, _context(entry))
    return Listing(tuple(contexts), contexts)


def _name(entry: Mapping[str, Any]) -> str:
    names = (entry.get("id"), entry.get("name"), entry.get("model"))
    return next((name for name in names if isinstance(name, str) and name.strip()), "")


def _context(entry: Mapping[str, Any]) -> Context:
    meta = entry.get("meta")
    inner = meta if isinstance(meta, Mapping) else {}
    told = (inner.get("n_ctx"), entry.get("loaded_context_length"), *map(entry.get, _CONTEXT_KEYS))
    return Context(_first_count(told), _first_count((inner.get("n_ctx_train"),)))


def _first_count(values: Iterable[object]) -> int:
    return next((n for n in values if isinstance(n, int) and n > 1), 0)


@dataclass(frozen=True)
class Sight:
    """How a server was last seen."""

    state: Literal["loading", "ready", "failed"]
    problem: str = ""
    listing: Listing = Listing()


class Watch:
    """Keeps a sight of the server that is never older than a minute, for who looks often.

    `look` asks the server and may take its time; `clock` gives seconds."""

    def __init__(self, look: Callable[[], Listing], clock: Callable[[], float]) -> None:
        self._look = look
        self._clock = clock
        self._guard = threading.Lock()
        self._sight = Sight("loading")
        self._due = 0.0
        self._looking: threading.Thread | None = None

    def sight(self) -> Sight:
        """At once: what was seen last, while a new look begins in the background."""
        with self._guard:
            if self._looking is None and self._clock() >= self._due:
                self._looking = threading.Thread(target=self._see, name="model list", daemon=True)
                self._looking.start()
            return self._sight

    def listing(self) -> Listing:
        """Waits for a look if none succeeded yet. Raises what the look raises."""
        if self.known.names:
            return self.known
        listing = self._look()
        self._note(Sight("ready", listing=listing))
        return listing

    @property
    def known(self) -> Listing:
        """What was listed last; asks nobody."""
        return self._sight.listing

    def works(self) -> None:
        """Somebody was answered."""
        with self._guard:
            self._sight = Sight("ready", listing=self._sight.listing)

    def fails(self, problem: str) -> None:
        """Somebody was not; the next look is soon."""
        with self._guard:
            self._sight = Sight("failed", problem, self._sight.listing)
            self._due = self._clock() + _RETRY_SECONDS

    def join(self, seconds: float) -> None:
        """Wait until no look is under way."""
        with self._guard:
            looking = self._looking
        if looking is not None:
            looking.join(seconds)

    def _see(self) -> None:
        try:
            self._note(Sight("ready", listing=self._look()))
        except StrataError as error:
            self.fails(str(error))
        finally:
            with self._guard:
                self._looking = None

    def _note(self, sight: Sight) -> None:
        with self._guard:
            self._sight = sight
            self._due = self._clock() + _FRESH_SECONDS
