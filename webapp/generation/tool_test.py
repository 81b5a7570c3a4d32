"""Whether a model calls tools well, found out once by two small questions in idle time.

Until a model has passed it is asked for a decision instead, which works with any.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from webapp import durable
from webapp.chat.tool_questions import NEEDS_CALL, NEEDS_NONE, called_well, kept_quiet
from webapp.documents.tools import TOOLS
from webapp.engines.engine import Engine, Request, Sampling, Turn
from webapp.generation.idle import IdleWork

log = logging.getLogger(__name__)

VERSION: Final = 1
LONGEST_REPLY: Final = 120
_CALM: Final = Sampling(temperature=0.0)


class ToolTest:
    """`kept` is a file with what was found out of each model; losing it costs a new test."""

    def __init__(self, engine: Engine, idle: IdleWork, kept: Path | None) -> None:
        self._engine = engine
        self._idle = idle
        self._kept = kept
        self._passed = _read(kept) if kept else {}

    def passed(self) -> bool:
        """Whether the model in use calls tools well, as far as is known."""
        return self._passed.get(self._model(), False)

    def want(self) -> None:
        """Somebody would have the model call: find out, once, when nobody waits."""
        model = self._model()
        if model and model not in self._passed:
            self._idle.add(_Question(model, NEEDS_CALL, self._first_done))

    def _first_done(self, model: str, text: str) -> None:
        if called_well(text, TOOLS):
            self._idle.add(_Question(model, NEEDS_NONE, self._second_done))
        else:
            self._note(model, passed=False)

    def _second_done(self, model: str, text: str) -> None:
        self._note(model, passed=kept_quiet(text, TOOLS))

    def _note(self, model: str, *, passed: bool) -> None:
        log.info("%s %s tools well", model, "calls" if passed else "does not call")
        self._passed[model] = passed
        if self._kept is not None:
            found = {"version": VERSION, "passed": self._passed}
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            durable.replace(self._kept, json.dumps(found, ensure_ascii=False).encode())

    def _model(self) -> str:
        about = self._engine.describe()
        return f"{about.engine} {about.model}" if about.model else ""


class _Question:
    """One question of the test, as a job for idle time."""

    def __init__(self, model: str, asked: str, done: Callable[[str, str], None]) -> None:
        self._model = model
        self._asked = asked
        self._done = done

    @property
    def key(self) -> str:
        return f"tools-{len(self._asked)}-{self._model}"

    def request(self) -> Request | None:
        turns = (Turn("user", self._asked),)
        return Request(self.key, turns, LONGEST_REPLY, _CALM, tools=schemas(1))

    def enough(self, text: str) -> bool:  # noqa: ARG002
        return False

    def done(self, text: str | None) -> None:
        """A test that was broken off or failed is made another time."""
        if text:
            self._done(self._model, text)


def schemas(limit: int) -> tuple[dict[str, Any], ...]:
    """Every tool as a model is given it; `limit` passages are the most of a call."""
    return tuple(tool.schema(limit) for tool in TOOLS.values())


def _read(kept: Path) -> dict[str, bool]:
    try:
        found = json.loads(kept.read_bytes())
        if found["version"] == VERSION:
            return {str(model): value is True for model, value in found["passed"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        log.info("what is known of tools is found out again: %s", error)
    return {}
