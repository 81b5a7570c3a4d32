"""What is found in the files of a thread, and of its project, for an answer.

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
from webapp.generation.excerpts import Excerpt, Retrieved, listed, merged, shown
from webapp.generation.line import Run
from webapp.generation.reachable import scopes_of
from webapp.generation.sources import inlined_ids
from webapp.generation.window import Window
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

FileSearch = Literal["always", "off"]
By = Literal["model", "decision", "automatic"]
"""Who wanted a call: the model by itself, the model when it was asked whether, or the rule."""


class Lookup:
    """Of the files in `documents`; each thread sees its own and those of its project."""

    def __init__(
        self,
        window: Window,
        documents: Documents,
        how: FileSearch,
        clock_ms: Callable[[], int],
        library: ThreadLibrary,
    ) -> None:
        self._library = library
        self._window = window
        self._documents = documents
        self._how = how
        self._clock_ms = clock_ms

    def reach(self, thread_id: str, path: Sequence[Message]) -> Reach:
        """What calls for an answer on this path may see."""
        scopes, project = scopes_of(self._documents, self._library, thread_id)
        known = frozenset(inlined_ids(path))
        shared = project.name if project else ""
        return Reach(self._documents, scopes, self._documents.search_settings, known, shared)

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
    new = tuple(_shared(each, reach) for each in merged(outcome.passages) if each.id not in old)
    return "\n\n".join(filter(None, [known.text, shown(new)])), (*known.excerpts, *new)


def _shared(excerpt: Excerpt, reach: Reach) -> Excerpt:
    """With the project that its file belongs to."""
    origin = reach.origin(excerpt.file_id)
    project, project_id = origin.get("project", ""), origin.get("project_id", "")
    return replace(excerpt, project=project, project_id=project_id)
