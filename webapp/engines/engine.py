"""What a model runner must offer. One contract, several implementations.

An engine knows nothing of threads, trees or disks: it gets a list of turns and gives back text.
Calls may come from any thread; an engine does one native job at a time and queues the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

EmbedKind = Literal["query", "passage"]


@dataclass(frozen=True)
class Turn:
    """One turn as the model's chat template takes it."""

    role: str
    content: str


@dataclass(frozen=True)
class Sampling:
    """Sampling parameters; the defaults are those of the built-in assistant."""

    temperature: float = 0.7
    top_k: int = 20
    top_p: float = 0.8
    repeat_penalty: float = 1.12
    seed: int | None = None


@dataclass(frozen=True)
class Request:
    """One answer to make. `id` names it for `cancel`; `max_tokens` bounds the answer.

    With a `schema` the answer is JSON that fits it, unless it ends for its length or the runner
    is a server that knows no schemas: read it with care. `tools` are offered to the model, each a
    function as OpenAI's API describes one; a call comes as text that the model's family writes.
    """

    id: str
    turns: tuple[Turn, ...]
    max_tokens: int = 2048
    sampling: Sampling = field(default_factory=Sampling)
    stop: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    tools: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Reading:
    """The prompt is being read: `done` of `total` tokens; `reused` came from the kept state."""

    done: int
    total: int
    reused: int


@dataclass(frozen=True)
class Text:
    """The next piece of the answer: whole characters only. `tokens` is the count so far."""

    piece: str
    tokens: int


@dataclass(frozen=True)
class Finished:
    """The last event of every generation that did not fail."""

    reason: Literal["stop", "length", "cancelled"]
    prompt_tokens: int
    reused_tokens: int
    output_tokens: int
    first_token_seconds: float
    total_seconds: float


Event = Reading | Text | Finished


@dataclass(frozen=True)
class EngineInfo:
    """What is loaded, or would be. `state` is what a person sees in the page's header."""

    engine: str
    model: str
    state: Literal["ready", "loading", "unloaded", "failed"]
    context_tokens: int
    problem: str = ""
    # What the model takes when it is loaded, and what is free for it while it is not; 0 and None
    # where that is not known.
    need_bytes: int = 0
    available_bytes: int | None = None


class Engine(Protocol):
    """A runner of one chat model and one embedding model."""

    def describe(self) -> EngineInfo:
        """At once, never waiting for the model."""

    def count(self, turns: Sequence[Turn], tools: Sequence[dict[str, Any]] = ()) -> int:
        """Tokens of the whole prompt through the model's own chat template."""

    def generate(self, request: Request) -> Iterator[Event]:
        """Events in order: Reading*, Text*, Finished. Raises EngineFailed (a sentence) at any
        point; text already given stays valid. Waits in the engine's queue before the first."""

    def cancel(self, request_id: str) -> None:
        """End that request within 200 ms, also while it waits or reads. Unknown ids are fine."""

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> list[list[float]]:
        """One unit-length vector per text, in the order given. Nothing is cut silently: a text
        longer than the model's window raises EngineFailed naming its index and length."""

    def close(self) -> None:
        """Free the model and end any child process. Idempotent."""
