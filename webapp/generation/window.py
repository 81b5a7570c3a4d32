"""From a run to the request that the engine gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webapp.chat import budget, continuing, prompt
from webapp.chat.messages import Message
from webapp.engines.engine import Engine, Request, Sampling, Turn
from webapp.errors import EngineFailed
from webapp.generation.line import Run
from webapp.threads.library import ThreadLibrary


class Window:
    """Plans what is sent. `max_output_tokens` are kept free for the answer."""

    def __init__(self, engine: Engine, library: ThreadLibrary, max_output_tokens: int) -> None:
        self._engine = engine
        self._library = library
        self._max_output_tokens = max_output_tokens

    def request_for(self, run: Run) -> Request:
        """Notes on the run what was left out. Raises EngineFailed without a question."""
        path = self._path(run)
        said = self._said(run, path)
        if not prompt.has_question(said):
            raise EngineFailed("There is no question left to answer.", do="Write one and send it.")
        run.left_out = self._left_out(said, path)
        sent = budget.without(said, run.left_out)
        return self.request(run.answer.id, sent, self._max_output_tokens, Sampling())

    def sent(self, run: Run) -> list[prompt.Part]:
        """What was sent for a run that has been answered."""
        return budget.without(self._said(run, self._path(run)), run.left_out)

    def request(
        self, id: str, parts: Sequence[prompt.Part], most: int, sampling: Sampling
    ) -> Request:
        return Request(id, _turns(parts), most, sampling)

    def _path(self, run: Run) -> list[Message]:
        return self._library.path_before(run.live.thread_id, run.answer.id)

    def _said(self, run: Run, path: list[Message]) -> list[prompt.Part]:
        said = prompt.parts(path, self._library.instructions(run.live.thread_id))
        if run.begun:
            return continuing.asked_on(said, run.answer.with_text(run.begun))
        return said

    def _left_out(self, said: list[prompt.Part], path: list[Message]) -> int:
        """How many of the oldest parts the window has no room for."""
        context = self._engine.describe().context_tokens
        if not context:
            return 0
        most = budget.budget(context, self._max_output_tokens)
        begun = left_out_before(path)
        return budget.first_sent(said, begun, most, lambda some: self._engine.count(_turns(some)))


def left_out_before(path: list[Message]) -> int:
    """Where the window of the last answer on this path began."""
    for message in reversed(path):
        usage = message.metadata.get("usage")
        value = usage.get("left_out") if isinstance(usage, Mapping) else None
        if isinstance(value, int) and value >= 0:
            return value
    return 0


def _turns(parts: Sequence[prompt.Part]) -> tuple[Turn, ...]:
    return tuple(Turn(role, content) for role, content in parts)
