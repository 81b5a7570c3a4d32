"""What is found in the files of a thread for an answer.

What is looked up is looked up by the same tools that a model can call itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from webapp.chat import continuing
from webapp.chat.messages import Message
from webapp.documents.service import Documents
from webapp.documents.tools import TOOLS
from webapp.documents.tools.tool import Outcome, Reach, call, failed
from webapp.errors import StrataError
from webapp.generation.excerpts import Retrieved, listed, merged, shown
from webapp.generation.line import Run
from webapp.generation.sources import inlined_ids
from webapp.generation.window import Window

log = logging.getLogger(__name__)

FileSearch = Literal["always", "off"]
By = Literal["model", "decision", "automatic"]
"""Who wanted a call: the model by itself, the model when it was asked whether, or the rule."""


class Lookup:
    """Of the files in `documents`; each thread sees its own."""

    def __init__(
        self,
        window: Window,
        documents: Documents,
        how: FileSearch,
        clock_ms: Callable[[], int],
    ) -> None:
        self._window = window
        self._documents = documents
        self._how = how
        self._clock_ms = clock_ms

    def reach(self, thread_id: str, path: Sequence[Message]) -> Reach:
        """What calls for an answer on this path may see."""
        scopes = (self._documents.thread(thread_id),)
        known = frozenset(inlined_ids(path))
        return Reach(self._documents, scopes, self._documents.search_settings, known)

    def look(self, run: Run) -> Retrieved:
        """What the files add to the answer before it is begun. Nothing when it was stopped, and
        when the files cannot be looked at: an answer without them is better than none."""
        path = self._window.path_of(run)
        question, reach = _question(path), self.reach(run.live.thread_id, path)
        try:
            names = [state.name for state in reach.searched()]
        except StrataError as error:
            log.warning("the files of %s cannot be looked at: %s", run.live.thread_id, error)
            return Retrieved()
        if self._how == "off" or not names or not question.strip():
            return Retrieved()
        return self.call(Retrieved(), reach, "retrieve", {"query": question}, by="automatic")

    def call(
        self,
        known: Retrieved,
        reach: Reach,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        by: By,
        note: str = "",
    ) -> Retrieved:
        """`known` and what this call adds to it."""
        begun = self._clock_ms()
        outcome = (
            call(TOOLS[tool], reach, arguments) if tool in TOOLS else failed(f"No tool {tool}.")
        )
        traced: dict[str, Any] = {"hits": [], "removed": 0, **outcome.trace}
        notes = (note, str(traced.get("note", "")), outcome.problem)
        traced |= {"tool": tool, "arguments": dict(arguments), "by": by}
        traced |= {"note": " ".join(filter(None, notes))}
        traced |= {"milliseconds": max(0, self._clock_ms() - begun)}
        text, excerpts = _added(known, reach, tool, outcome)
        return replace(known, text=text, excerpts=excerpts, trace=(*known.trace, traced))


def _question(path: Sequence[Message]) -> str:
    """The newest that a person asked."""
    asked = (each for each in reversed(path) if each.role == "user")
    return next((each.text for each in asked if each.text != continuing.REQUEST), "")


def _added(known: Retrieved, reach: Reach, tool: str, outcome: Outcome) -> tuple[str, Any]:
    """The text before the question and the excerpts, with those of this call."""
    if outcome.problem:
        return known.text, known.excerpts
    if tool == "list_attachments":
        text = listed([state.name for _, state in reach.files()])
        return "\n\n".join(filter(None, [known.text, text])), known.excerpts
    old = {each.id for each in known.excerpts}
    new = tuple(each for each in merged(outcome.passages) if each.id not in old)
    return "\n\n".join(filter(None, [known.text, shown(new)])), (*known.excerpts, *new)
