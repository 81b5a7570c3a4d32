"""A small question to the model in the middle of an answer: its reader can stop it."""

from __future__ import annotations

from webapp.engines.engine import Engine, Finished, Request, Text
from webapp.generation.line import Run


def aside(engine: Engine, request: Request, run: Run) -> str | None:
    """What the model says; None when the answer of `run` was stopped meanwhile. The request has
    the id of that answer. EngineFailed when the model cannot."""
    text = ""
    for event in engine.generate(request):
        text += event.piece if isinstance(event, Text) else ""
        if run.turn.halted:
            engine.cancel(run.answer.id)
        if isinstance(event, Finished) and event.reason == "cancelled":
            return None
    return None if run.turn.halted else text
