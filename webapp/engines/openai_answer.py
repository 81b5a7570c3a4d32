"""One answer of a server, from the pieces that arrive to events of the engine.

A thread of its own talks to the server and fills the inbox; whoever reads the events empties it.
So a stop is heard at once, whatever the connection is waiting for.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from typing import Final, Literal

from webapp.chat.tool_calls import ToolCall, written
from webapp.engines.engine import Event, Finished, Reading, Request, Text
from webapp.engines.openai_link import Link
from webapp.engines.openai_refusal import Refusal
from webapp.engines.openai_reply import Reply
from webapp.engines.openai_trouble import Asked
from webapp.engines.text_stream import StopStrings
from webapp.errors import EngineFailed

# A server that said why it ended, and not that it is done, is not waited for any longer.
_SECONDS_FOR_THE_END: Final = 3.0

Signal = str | Literal[0, 1, 2] | BaseException
OPENED: Final = 0
ENDED: Final = 1
CANCELLED: Final = 2
"""What an inbox holds besides the data of events: the server took the request, sent all, or
somebody stopped it. Any exception is raised where the events are read."""


class Answer:
    """Owns the link of its request; `tokens` is our count of it, until the server gives its own."""

    def __init__(self, request: Request, link: Link, tokens: int) -> None:
        self.request = request
        self.link = link
        self.inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        self.tokens = tokens
        self._reply = Reply()
        self._stops = StopStrings(request.stop)
        self._begun = time.monotonic()
        self._first_text: float | None = None

    def cancel(self) -> None:
        """From any thread, at any time, more than once."""
        self.inbox.put(CANCELLED)
        self.link.abort()

    def events(self) -> Iterator[Event]:
        """Until Finished; raises what came into the inbox as an error, and BrokenAnswer."""
        try:
            yield from self._until_it_ends()
        except Exception:
            yield from self._text(self._reply.end(), last=True)
            raise

    def _until_it_ends(self) -> Iterator[Event]:
        over = False
        while not over:
            signal = self._next()
            if isinstance(signal, BaseException):
                raise signal
            if signal == OPENED:
                yield Reading(0, self.tokens, 0)
            elif isinstance(signal, str):
                yield from self._text(self._reply.feed(signal))
            over = signal in (ENDED, CANCELLED) or self._reply.done or self._stops.stopped
        yield from self._text(self._reply.end() + self._calls(), last=True)
        yield self._finished(signal)

    def _calls(self) -> str:
        """Those of tools that were offered, as text: so the calls of all engines are read alike."""
        calls = self._reply.calls.whole if self.request.tools else ()
        texts = (written(ToolCall(each.id, each.name, each.arguments or "{}")) for each in calls)
        return "".join(f"\n{text}" for text in texts)

    def _next(self) -> Signal:
        try:
            return self.inbox.get(timeout=_SECONDS_FOR_THE_END if self._reply.reason else None)
        except queue.Empty:
            return ENDED

    def _text(self, text: str, *, last: bool = False) -> Iterator[Event]:
        certain = self._stops.feed(text)
        if last and not self._stops.stopped:
            certain += self._stops.end()
        if not certain:
            return
        if self._first_text is None:
            self._first_text = time.monotonic()
            yield Reading(self.tokens, self.tokens, 0)
        yield Text(certain, max(self._reply.pieces, 1))

    def _finished(self, signal: Signal) -> Finished:
        usage = self._reply.usage
        first = self._first_text or time.monotonic()
        output = self._reply.pieces if usage.output is None else usage.output
        return Finished(
            self._reason(signal),
            self.tokens if usage.prompt is None else usage.prompt,
            usage.reused or 0,
            output,
            first - self._begun,
            time.monotonic() - self._begun,
        )

    def _reason(self, signal: Signal) -> Literal["stop", "length", "cancelled"]:
        if signal == CANCELLED:
            return "cancelled"
        if self._stops.stopped:
            return "stop"
        if not self._reply.reason and not self._reply.done:
            raise EngineFailed(
                "The server ended in the middle of the answer.", do="Ask again, or continue it."
            )
        if self._first_text is None:
            self._refuse_silence()
        return "length" if self._reply.reason == "length" else "stop"

    def _refuse_silence(self) -> None:
        calls = self._reply.calls.whole
        if calls:
            raise EngineFailed(
                f"The model called the tool “{calls[0].name}” instead of answering.",
                do="Ask again in other words.",
            )
        if self._reply.reason == "content_filter":
            raise EngineFailed("The server's filter withheld the answer.", do="Ask otherwise.")


def broken_off(refusal: Refusal, asked: Asked) -> EngineFailed:
    """The error of a server that gave up while it answered."""
    said = f": {refusal.message.rstrip('.')}" if refusal.message else ""
    return EngineFailed(
        asked.without_key(f"The server at {asked.place} broke off the answer{said}."),
        do="What came so far is kept. Ask again, or continue it.",
    )
