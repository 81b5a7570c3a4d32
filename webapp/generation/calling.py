"""The calls that a model makes in the middle of an answer, and what comes of them.

Calls are read from its words, whatever engine and family it has; each gets one result, and the
answer goes on after them. The words around the calls stay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from webapp.chat.called import Called, CallReader
from webapp.chat.prompt import Part
from webapp.chat.rounds import Rounds, Step
from webapp.chat.tool_calls import ToolCall, written
from webapp.documents.tools.tool import failed
from webapp.generation.line import Run
from webapp.generation.lookup import Lookup
from webapp.generation.within import Within

TOO_LONG: Final = "The result is longer than the room in the window. Answer with what you have."
_WORDS: Final = {
    "retrieve": "Searching the files",
    "get_chunks": "Reading on in a file",
    "list_attachments": "Looking which files there are",
    "recall": "Looking into earlier threads",
}


class Calling:
    """Of one answer; `room` are the tokens that results may still take, `tokens` counts them."""

    def __init__(
        self, lookup: Lookup, within: Within, room: int, tokens: Callable[[str], int]
    ) -> None:
        self._lookup = lookup
        self._within = within
        self._room = room
        self._tokens = tokens
        self._rounds = Rounds()

    def reader(self) -> CallReader:
        """For the next reply of the model."""
        return CallReader(self._within.names)

    @property
    def must_answer(self) -> bool:
        """No calls are taken any more."""
        return self._rounds.must_answer

    def turns(self, run: Run, said: str, calls: Sequence[Called]) -> list[Part]:
        """The model's reply, with what it `said` beside the calls, and their results; what they
        found is noted on the run. Nothing is run for an answer that was stopped."""
        steps = self._rounds.take(calls)
        reply = [said.strip(), *(_call(step.called) for step in steps)]
        turns: list[Part] = [("assistant", "\n".join(filter(None, reply)))]
        for step in steps:
            if run.turn.halted:
                break
            turns.append(("tool", self._result(run, step)))
        return turns

    def _result(self, run: Run, step: Step) -> str:
        called = step.called
        if not step.runs:
            run.retrieved = self._lookup.noted(run.retrieved, called, step.sentence)
            return self._fitting(failed(step.sentence).text)
        run.retrieved, text = self._lookup.call(
            run.retrieved, self._within, called.name, called.arguments, by="model"
        )
        return self._fitting(text)

    def _fitting(self, text: str) -> str:
        """With as many results as there is room for."""
        text = fitted(text, self._room, self._tokens)
        self._room = max(0, self._room - self._tokens(text))
        return text


def fitted(text: str, room: int, tokens: Callable[[str], int]) -> str:
    """A result without its last passages if it is longer than `room` tokens."""
    found: Any = None
    while tokens(text) > room:
        found = json.loads(text) if found is None else found
        results = found.get("results")
        if not isinstance(results, list) or len(results) <= 1:
            return failed(TOO_LONG).text
        results.pop()
        text = json.dumps(found, ensure_ascii=False)
    return text


def doing(calls: Sequence[Called]) -> str:
    """What a reader is told while calls run."""
    words = dict.fromkeys(_WORDS.get(each.name, "Answering a call of the model") for each in calls)
    return f"{'; '.join(words)}."


def _call(called: Called) -> str:
    arguments = json.dumps(called.arguments, ensure_ascii=False)
    return written(ToolCall(called.id, called.name, arguments))
