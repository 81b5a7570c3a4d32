"""An engine that replays a script: for tests, for the tour, and for a look without a model.

It keeps every promise of the contract (queue, cancel, stop strings, limits, whole characters);
only the words do not come from a model. Without a script it answers as `script.reply_to` says.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
import time
import unicodedata
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, Literal

from webapp.chat import compaction, recall_decision, titles, tool_questions
from webapp.engines.answer_form import checked
from webapp.engines.engine import (
    EmbedKind,
    EngineInfo,
    Event,
    Finished,
    Reading,
    Request,
    Text,
    Turn,
)
from webapp.engines.script import (
    Fail,
    Reply,
    Say,
    Step,
    Wait,
    asked_last,
    decision_on,
    notes_on,
    recall_on,
    reply_to,
    title_for,
)
from webapp.engines.text_stream import StopStrings
from webapp.errors import EngineFailed

DIMENSION: Final = 384
EMBED_TOKENS: Final = 512
_PIECE: Final = re.compile(r"\s*\S+\s*|\s+")


class ScriptedEngine:
    """Replays `replies` in order, then answers by the question's own commands.

    `delay_seconds` is the pause before each token; `requests` and `embedded` keep what was asked
    for. Requests for a title, for notes or with a schema take nothing from the script; `asides`
    keeps them.
    """

    def __init__(
        self,
        replies: Sequence[Reply | str] = (),
        *,
        delay_seconds: float = 0.0,
        context_tokens: int = 8192,
    ) -> None:
        self.requests: list[Request] = []
        self.asides: list[Request] = []
        self.embedded: list[tuple[EmbedKind, tuple[str, ...]]] = []
        self._replies = deque(replies)
        self._delay_seconds = delay_seconds
        self._context_tokens = context_tokens
        self._turn_taken = threading.Condition()
        self._line: deque[_Run] = deque()
        self._runs: weakref.WeakSet[_Run] = weakref.WeakSet()
        self._last_prompt = ""
        self._closed = False

    def queue(self, *replies: Reply | str) -> None:
        """Add answers to the end of the script."""
        with self._turn_taken:
            self._replies.extend(replies)

    def describe(self) -> EngineInfo:
        return EngineInfo("scripted", "Scripted model", "ready", self._context_tokens)

    def count(self, turns: Sequence[Turn], tools: Sequence[dict[str, Any]] = ()) -> int:
        return _tokens(_rendered(turns, tools))

    def generate(self, request: Request) -> Iterator[Event]:
        run = _Run(checked(request))
        with self._turn_taken:
            self._refuse_if_closed()
            (self.asides if _aside(request) else self.requests).append(request)
            self._runs.add(run)
        return self._events(run)

    def cancel(self, request_id: str) -> None:
        with self._turn_taken:
            for run in self._runs:
                if run.request.id == request_id:
                    run.cancelled.set()
            self._turn_taken.notify_all()

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> list[list[float]]:
        self._refuse_if_closed()
        self.embedded.append((kind, tuple(texts)))
        return [_vector(index, text) for index, text in enumerate(texts)]

    def close(self) -> None:
        with self._turn_taken:
            self._closed = True
            for run in self._runs:
                run.cancelled.set()
            self._turn_taken.notify_all()

    def _events(self, run: _Run) -> Iterator[Event]:
        self._stand_in_line(run)
        try:
            yield from self._answer(run)
        finally:
            with self._turn_taken:
                self._line.remove(run)
                self._turn_taken.notify_all()

    def _stand_in_line(self, run: _Run) -> None:
        with self._turn_taken:
            self._line.append(run)
            self._turn_taken.wait_for(lambda: self._line[0] is run or run.cancelled.is_set())

    def _answer(self, run: _Run) -> Iterator[Event]:
        if run.cancelled.is_set():
            yield Finished("cancelled", 0, 0, 0, 0.0, 0.0)
            return
        self._read(run)
        reply = self._next_reply(run.request)
        yield Reading(run.reused_tokens, run.prompt_tokens, run.reused_tokens)
        for step in reply.reading:
            run.take(step)
        if not run.cancelled.is_set():
            yield Reading(run.prompt_tokens, run.prompt_tokens, run.reused_tokens)
        delay = reply.delay_seconds or self._delay_seconds
        yield from run.write(reply.steps, self._room(run), delay)

    def _read(self, run: _Run) -> None:
        run.begun = time.monotonic()
        prompt = _rendered(run.request.turns, run.request.tools)
        run.prompt_tokens = _tokens(prompt)
        if run.prompt_tokens + 1 > self._context_tokens:
            raise EngineFailed(
                f"The conversation has {run.prompt_tokens:,} tokens, but the model's context "
                f"holds {self._context_tokens:,}.",
                do="Shorten the question, or begin a new thread.",
            )
        run.reused_tokens = min(int(_same(prompt, self._last_prompt) / 3.5), run.prompt_tokens - 1)
        self._last_prompt = prompt

    def _room(self, run: _Run) -> int:
        return min(run.request.max_tokens, self._context_tokens - run.prompt_tokens)

    def _next_reply(self, request: Request) -> Reply:
        if (aside := _aside(request)) is not None:
            return aside
        with self._turn_taken:
            if self._replies:
                reply = self._replies.popleft()
                return Reply((Say(reply),)) if isinstance(reply, str) else reply
        question, called = asked_last([(turn.role, turn.content) for turn in request.turns])
        return reply_to(question, called=called)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise EngineFailed("The model was closed.", do="Start Strata again.")


class _Run:
    """One request on its way through the script."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.cancelled = threading.Event()
        self.prompt_tokens = 0
        self.reused_tokens = 0
        self._output_tokens = 0
        self.begun = 0.0
        self._first_token_seconds = 0.0

    def take(self, step: Wait | Fail | Say) -> None:
        """Wait or fail; what is to be said while reading stays unsaid."""
        if isinstance(step, Fail):
            raise EngineFailed(step.what, do=step.do)
        if isinstance(step, Wait):
            while not step.until.wait(0.02) and not self.cancelled.is_set():
                pass

    def write(self, steps: Sequence[Step], room: int, delay: float) -> Iterator[Event]:
        stops = StopStrings(self.request.stop)
        reason: Literal["stop", "length", "cancelled"] = "stop"
        for piece in self._pieces(steps):
            reason = self._why_no_more(room, delay)
            if reason != "stop":
                break
            yield from self._text(stops.feed(piece), token=1)
            if stops.stopped:
                break
        yield from self._text(stops.end(), token=0)
        yield self.finished("cancelled" if self.cancelled.is_set() else reason)

    def finished(self, reason: Literal["stop", "length", "cancelled"]) -> Finished:
        return Finished(
            reason,
            self.prompt_tokens,
            self.reused_tokens,
            self._output_tokens,
            self._first_token_seconds,
            time.monotonic() - self.begun,
        )

    def _pieces(self, steps: Sequence[Step]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, Say):
                yield from _PIECE.findall(step.text)
            else:
                self.take(step)

    def _why_no_more(self, room: int, delay: float) -> Literal["stop", "length", "cancelled"]:
        """`stop` means: nothing speaks against one more piece."""
        if self._output_tokens >= room:
            return "length"
        return "cancelled" if self.cancelled.wait(delay) else "stop"

    def _text(self, piece: str, token: int) -> Iterator[Event]:
        if not self._output_tokens:
            self._first_token_seconds = time.monotonic() - self.begun
        self._output_tokens += token
        if piece:
            yield Text(piece, self._output_tokens)


def _aside(request: Request) -> Reply | None:
    """The answer to a request that no person makes: for a decision, a test, a title, or notes."""
    said = [turn.content for turn in request.turns]
    if request.schema in (recall_decision.SCHEMA, recall_decision.SHORT_SCHEMA):
        return recall_on(said[-1])
    if request.schema is not None:
        return decision_on(said[-1] if said else "")
    if said and said[-1] in tool_questions.QUESTIONS:
        return reply_to(said[-1])
    if said and said[-1] == titles.REQUEST:
        return title_for(next(turn.content for turn in request.turns if turn.role == "user"))
    if said and said[-1].endswith(compaction.TASK):
        return notes_on(said[-1])
    return None


def _rendered(turns: Sequence[Turn], tools: Sequence[dict[str, Any]]) -> str:
    offered = f"{list(tools)}\n" if tools else ""
    said = "".join(f"[{turn.role}]\n{turn.content}\n" for turn in turns)
    return f"{offered}{said}[assistant]\n"


def _same(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _tokens(text: str) -> int:
    return math.ceil(len(text) / 3.5)


def _vector(index: int, text: str) -> list[float]:
    """Texts that share words point the same way; the same text always gives the same vector."""
    clean = unicodedata.normalize("NFC", text).strip()
    if not clean:
        raise EngineFailed(f"Text {index} is empty and has no meaning to compare.", do="Skip it.")
    if _tokens(clean) > EMBED_TOKENS:
        raise EngineFailed(
            f"Text {index} has {_tokens(clean)} tokens; the embedding model takes {EMBED_TOKENS}.",
            do="Split it into smaller passages.",
        )
    vector = [0.0] * DIMENSION
    for word in clean.casefold().split():
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=32).digest()
        for low, high in zip(digest[::2], digest[1::2], strict=True):
            vector[(low | high << 8) % DIMENSION] += 1.0 if high & 128 else -1.0
    length = math.hypot(*vector) or 1.0
    return [value / length for value in vector]
