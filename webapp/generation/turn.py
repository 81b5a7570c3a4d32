"""One answer as a state machine: an event in, commands out. No clock, no engine, no disk.

    queued ──Reading──▶ reading ──Text──▶ thinking ──Text──▶ writing ──Finished──▶ ready | stopped
       │          ▲         │               │                   ├──Called──▶ reading
       │          └──Called─┴───────────────┘                   │
       └──────────┴─────────┴───────────────┴───────────────────┴──Failed──▶ error
                                                                └──Halt────▶ stopped, once the
                                                                             engine ends

Between the rounds of an answer, while tools run, the engine is still: a halt ends it there. Text
is checkpointed once a second, by whichever event comes first after that. An ending is final:
whatever comes later gives no command, so that finishing twice is harmless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.chat.continuing import joint
from webapp.chat.thinking import Thinking, split
from webapp.engines.engine import Event, Finished, Reading, Text
from webapp.generation.broadcast import Phase

CHECKPOINT_MS = 1000


@dataclass(frozen=True)
class Queued:
    """`place` in line, 1 is next."""

    place: int


@dataclass(frozen=True)
class Halt:
    """A person asked to stop."""


@dataclass(frozen=True)
class Failed:
    """The engine gave up; `sentence` is for the reader."""

    sentence: str


@dataclass(frozen=True)
class Called:
    """The engine ended with calls of tools, which run now; `detail` tells the reader which."""

    finished: Finished
    detail: str


@dataclass(frozen=True)
class Tick:
    """Time passed."""


TurnEvent = Event | Queued | Halt | Failed | Called | Tick


@dataclass(frozen=True)
class Grow:
    """Show these further characters, of the answer or of the thinking before it."""

    piece: str
    phase: Phase = "writing"


@dataclass(frozen=True)
class Show:
    """Show this phase, with a sentence."""

    phase: Phase
    detail: str = ""


@dataclass(frozen=True)
class Checkpoint:
    """Write these further characters to the log (flushed)."""

    text: str


@dataclass(frozen=True)
class CancelEngine:
    """Tell the engine to end this request."""


@dataclass(frozen=True)
class Save:
    """Write the whole answer (durable), then show its phase."""

    phase: Phase
    text: str
    error: str
    usage: dict[str, Any]


Command = Grow | Show | Checkpoint | CancelEngine | Save


class Turn:
    """The state of one answer. Times are milliseconds of any one clock. `begun` are words that
    stand already, of an answer that was cut short."""

    def __init__(self, now_ms: int, begun: str = "") -> None:
        self.text = begun
        self._begun = begun
        self.over = False
        self.halted = False
        self._thinking = Thinking()
        self._joint = ""  # what parts the words before calls from those after
        self._spent: list[Finished] = []  # one of each round that ended with calls
        self._unwritten = ""
        self._written_at = now_ms

    def receive(self, event: TurnEvent, now_ms: int) -> list[Command]:
        if self.over:
            return []
        match event:
            case Queued(place):
                return [Show("queued", _line(place))]
            case Reading() | Text() if self.halted:
                # The first cancel may have come before the engine knew of the request.
                return [CancelEngine()]
            case Reading():
                return [Show("reading", _reading(event))]
            case Text(piece):
                return self._grow(piece, now_ms)
            case Tick():
                return self._due(now_ms)
            case Halt():
                return self._halt()
            case Called(finished, detail):
                return self._call(finished, detail)
            case Finished():
                return self._finish(event)
            case Failed(sentence):
                return self._end("stopped" if self.halted else "error", sentence, {})

    def _grow(self, piece: str, now_ms: int) -> list[Command]:
        if self._begun and self.text == self._begun:
            piece = joint(self._begun, piece) + piece
        if self._joint and piece.strip():
            piece, self._joint = self._joint + piece.lstrip(), ""
        elif self._joint:
            return self._due(now_ms)
        self.text += piece
        self._unwritten += piece
        phase: Phase = "thinking" if self._thinking.goes_on(self.text, piece) else "writing"
        return [Grow(piece, phase), *self._due(now_ms)]

    def _due(self, now_ms: int) -> list[Command]:
        if not self._unwritten or now_ms - self._written_at < CHECKPOINT_MS:
            return []
        text, self._unwritten, self._written_at = self._unwritten, "", now_ms
        return [Checkpoint(text)]

    def _halt(self) -> list[Command]:
        self.halted = True
        return [CancelEngine()]

    def _call(self, finished: Finished, detail: str) -> list[Command]:
        self._spent.append(finished)
        if self.halted:
            return self._end("stopped", "", _usage(self._spent))
        self._joint = "\n\n" if self.text.strip() and not self.text.endswith("\n\n") else ""
        return [Show("reading", detail)]

    def _finish(self, event: Finished) -> list[Command]:
        usage = _usage([*self._spent, event])
        if event.reason == "cancelled" or self.halted:
            return self._end("stopped", "", usage)
        parts = split(self.text, finished=True) if self.text.strip() else ()
        if any(part.kind == "text" for part in parts):
            return self._end("ready", "", usage)
        what = "only thought and gave no answer" if parts else "gave an empty answer"
        return self._end("error", f"The model {what}. Try again.", usage)

    def _end(self, phase: Phase, error: str, usage: dict[str, Any]) -> list[Command]:
        self.over = True
        kept = "" if phase == "stopped" else error
        return [Save(phase, self.text, kept, usage)]


def _usage(rounds: Sequence[Finished]) -> dict[str, Any]:
    """Of the last request, and the words and time of all."""
    last = rounds[-1]
    return {
        "prompt_tokens": last.prompt_tokens,
        "reused_tokens": last.reused_tokens,
        "output_tokens": sum(each.output_tokens for each in rounds),
        "first_token_seconds": round(rounds[0].first_token_seconds, 3),
        "total_seconds": round(sum(each.total_seconds for each in rounds), 3),
        "reason": last.reason,
    }


def _line(place: int) -> str:
    if place <= 1:
        return "Next in line."
    return f"In line: {place - 1} before this one."


def _reading(event: Reading) -> str:
    if event.total <= event.reused:
        return "Reading."
    return f"Reading {event.done:,} of {event.total:,} tokens."
