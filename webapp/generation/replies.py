"""What the model writes for one answer: its words, and those after its calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from webapp.chat.called import Called as Call
from webapp.chat.prompt import Part
from webapp.chat.window import Plan
from webapp.engines.engine import Engine, Finished, Request, Text
from webapp.generation.calling import Calling, doing
from webapp.generation.line import Run
from webapp.generation.lookup import Lookup
from webapp.generation.turn import Called, Failed, Tick, TurnEvent
from webapp.generation.window import Window

ONLY_CALLS: Final = "The model called tools again and again and gave no answer. Try again."


class Replies:
    """Tells every event of a run to `receive`; without a `lookup` models have nothing to call."""

    def __init__(
        self,
        engine: Engine,
        window: Window,
        receive: Callable[[Run, TurnEvent], None],
        lookup: Lookup | None,
    ) -> None:
        self._engine = engine
        self._window = window
        self._receive = receive
        self._lookup = lookup

    def write(self, run: Run, made: Plan) -> None:
        """To the end of the answer. EngineFailed when the engine gives up."""
        request, calling = self._window.request_for(run, made), self._calling(run, made)
        if calling is None:
            self._plain(run, request)
            return
        more: list[Part] = []
        while True:
            before = len(run.turn.text)
            calls = self._reply(run, request, calling)
            if not calls:
                return
            more += calling.turns(run, run.turn.text[before:], calls)
            if run.turn.halted:
                self._receive(run, Failed(""))
                return
            request = self._window.going_on(run, made, request, more)
            if calling.must_answer:
                request = replace(request, tools=())

    def _plain(self, run: Run, request: Request) -> None:
        for event in self._engine.generate(request):
            self._receive(run, event)
            if run.turn.over:
                return

    def _reply(self, run: Run, request: Request, calling: Calling) -> Sequence[Call]:
        """The calls of a reply, whose words have been told. Without calls the answer is over."""
        reader = calling.reader()
        for event in self._engine.generate(request):
            if isinstance(event, Text):
                self._tell(run, event, reader.feed(event.piece))
            elif isinstance(event, Finished):
                self._tell(run, Text("", event.output_tokens), reader.end())
                return self._ended(run, event, reader.calls, calling)
            else:
                self._receive(run, event)
            if run.turn.over:
                break
        return ()

    def _tell(self, run: Run, event: Text, certain: str) -> None:
        """What may still become a call is not shown; a stop is heard meanwhile."""
        hears = certain or run.turn.halted
        self._receive(run, replace(event, piece=certain) if hears else Tick())

    def _ended(
        self, run: Run, finished: Finished, calls: Sequence[Call], calling: Calling
    ) -> Sequence[Call]:
        if not calls or run.turn.halted or finished.reason == "cancelled":
            self._receive(run, finished)
        elif calling.must_answer:
            silent = not run.turn.text[len(run.begun) :].strip()
            self._receive(run, Failed(ONLY_CALLS) if silent else finished)
        else:
            self._receive(run, Called(finished, doing(calls)))
            return calls
        return ()

    def _calling(self, run: Run, made: Plan) -> Calling | None:
        within = None
        if self._lookup is not None:
            within = self._lookup.may_be_called(run, self._window.path_of(run))
        if self._lookup is None or within is None:
            return None
        return Calling(self._lookup, within, made.ledger.free, self._window.tokens)
