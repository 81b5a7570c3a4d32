"""Whether an answer needs the files of its thread and project, and what is found in them.

The model decides in a reply that is held to a few words; the answer itself never is. What it
decides on is looked up by the same tools that it could call itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from webapp.chat import continuing, decision, followups
from webapp.chat.called import Called
from webapp.chat.citations import citations
from webapp.chat.decision import Decision
from webapp.chat.excerpts import Excerpt
from webapp.chat.messages import Message
from webapp.documents.service import Documents
from webapp.documents.tools import TOOLS
from webapp.documents.tools.tool import Outcome, Reach, call, failed
from webapp.engines.engine import Engine, Sampling
from webapp.errors import EngineFailed, StrataError
from webapp.generation.asides import aside
from webapp.generation.excerpts import Retrieved, listed, merged, shown
from webapp.generation.line import Run
from webapp.generation.reachable import scopes_of
from webapp.generation.sources import inlined_ids
from webapp.generation.tool_test import ToolTest, schemas
from webapp.generation.window import Window
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

FileSearch = Literal["auto", "model", "always", "off"]
"""Who says that files are searched: the model, and where it cannot every question does (auto); the
model alone; nobody, they always are; or off."""
By = Literal["model", "decision", "automatic"]
"""Who wanted a call: the model by itself, the model when it was asked whether, or the rule."""

DECIDING: Final = "Deciding whether to look into the files."
UNDECIDED: Final = "The model could not decide, so the files were searched with the question."
SILENT: Final = "The model could not decide, so the files were not searched."
NOT_NEEDED: Final = "The model saw nothing in the message to look up."
_CALM: Final = Sampling(temperature=0.0)


@dataclass(frozen=True)
class _Choice:
    """What was decided, and by whom; `note` says why it was not the model."""

    decision: Decision
    by: By
    note: str = ""


class Lookup:
    """Of the files in `documents`; each thread sees its own and those of its project."""

    def __init__(
        self,
        engine: Engine,
        window: Window,
        documents: Documents,
        how: FileSearch,
        *,
        clock_ms: Callable[[], int],
        library: ThreadLibrary,
        tool_test: ToolTest | None = None,
    ) -> None:
        self._engine = engine
        self._library = library
        self._window = window
        self._documents = documents
        self.how = how
        self._clock_ms = clock_ms
        self._tool_test = tool_test

    def offered(self, thread_id: str) -> tuple[dict[str, Any], ...]:
        """The tools that the model of this thread is given, if it calls them well."""
        if self.how not in ("auto", "model") or not self._tool_test:
            return ()
        if not self._tool_test.passed():
            return ()
        try:
            has_files = any(self.reach(thread_id, ()).files())
        except StrataError:
            return ()
        return schemas(self._documents.search_settings.limit) if has_files else ()

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
        asked, reach = _asked(path), self.reach(run.live.thread_id, path)
        try:
            names = [state.name for state in reach.searched()]
        except StrataError as error:
            log.warning("the files of %s cannot be looked at: %s", run.live.thread_id, error)
            return Retrieved()
        if self.how == "off" or not names or not asked:
            return Retrieved()
        if self._tool_test:
            self._tool_test.want()
        if self.offered(run.live.thread_id) and not run.begun:
            return Retrieved()  # it calls by itself
        choice = self._choice(run, names, asked)
        if choice is None:
            return Retrieved()
        if choice.decision.action == "answer":
            return Retrieved(
                trace=(_traced("", {}, choice.by, Outcome(""), choice.note or NOT_NEEDED),)
            )
        arguments: dict[str, Any] = {}
        if choice.decision.action == "retrieve":
            arguments["query"] = followups.searched(asked[-1], asked[:-1], choice.decision.query)
        tool, by, note = choice.decision.action, choice.by, choice.note
        return self.call(Retrieved(), reach, tool, arguments, by=by, note=note)[0]

    def may_be_called(self, run: Run, path: Sequence[Message]) -> Reach | None:
        """What calls that the model makes in this answer may see; None when it makes none."""
        if self.how not in ("auto", "model"):
            return None
        reach = self.reach(run.live.thread_id, path)
        try:
            return reach if reach.searched() else None
        except StrataError:
            return None

    def call(
        self,
        known: Retrieved,
        reach: Reach,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        by: By,
        note: str = "",
    ) -> tuple[Retrieved, str]:
        """`known` and what this call adds to it, and the result as a model that calls reads it."""
        begun = self._clock_ms()
        outcome = (
            call(TOOLS[tool], reach, arguments) if tool in TOOLS else failed(f"No tool {tool}.")
        )
        traced = _traced(tool, arguments, by, outcome, note)
        traced["milliseconds"] = max(0, self._clock_ms() - begun)
        text, excerpts = _added(known, reach, tool, outcome)
        trace = (*_searches(known), traced)
        return replace(known, text=text, excerpts=excerpts, trace=trace), outcome.text

    def noted(self, known: Retrieved, called: Called, sentence: str) -> Retrieved:
        """`known` with a call that was not run in its trace."""
        traced = _traced(called.name, called.arguments, "model", failed(sentence), "")
        return replace(known, trace=(*_searches(known), {**traced, "milliseconds": 0}))

    def _choice(self, run: Run, names: Sequence[str], asked: Sequence[str]) -> _Choice | None:
        """None when the answer was stopped. One that goes on from words which stand already gets
        passages, as those words may have."""
        if self.how == "always" or run.begun:
            return _Choice(Decision("retrieve"), "automatic")
        reply = self._decision(run, names, asked)
        if run.turn.halted:
            return None
        if reply:
            return _Choice(decision.decision_in(reply), "decision")
        if self.how == "model":
            return _Choice(Decision("answer"), "automatic", SILENT)
        return _Choice(Decision("retrieve"), "automatic", UNDECIDED)

    def _decision(self, run: Run, names: Sequence[str], asked: Sequence[str]) -> str | None:
        """The model's reply; nothing when it cannot give one."""
        run.live.show("reading", DECIDING)
        reworded = followups.is_reworded(asked[-1], asked[:-1])
        said = decision.decision_parts(asked, names)
        request = self._window.request(run.answer.id, said, decision.LONGEST_REPLY, _CALM)
        schema = decision.SCHEMA if reworded else decision.SHORT_SCHEMA
        try:
            return aside(self._engine, replace(request, schema=schema), run)
        except EngineFailed as error:
            log.info("no decision for %s: %s", run.answer.id, error)
            return None


def _asked(path: Sequence[Message]) -> list[str]:
    """What a person asked, oldest first."""
    asked = (each.text for each in path if each.role == "user")
    return [text for text in asked if text.strip() and text != continuing.REQUEST]


def _searches(known: Retrieved) -> tuple[dict[str, Any], ...]:
    """What was traced, without the word that nothing was looked up."""
    return tuple(each for each in known.trace if each["tool"])


def _traced(
    tool: str, arguments: Mapping[str, Any], by: By, outcome: Outcome, note: str
) -> dict[str, Any]:
    traced: dict[str, Any] = {"hits": [], "removed": 0, **outcome.trace}
    notes = (note, str(traced.get("note", "")), outcome.problem)
    traced |= {"tool": tool, "arguments": dict(arguments), "by": by}
    return traced | {"note": " ".join(filter(None, notes))}


def _added(known: Retrieved, reach: Reach, tool: str, outcome: Outcome) -> tuple[str, Any]:
    """The text before the question and the excerpts, with those of this call."""
    if outcome.problem:
        return known.text, known.excerpts
    if tool == "list_attachments":
        text = listed([state.name for _, state in reach.files()])
        return "\n\n".join(filter(None, [known.text, text])), known.excerpts
    old = {each.identity for each in known.excerpts}
    new = tuple(each for each in _found(reach, outcome) if each.identity not in old)
    return "\n\n".join(filter(None, [known.text, shown(new)])), (*known.excerpts, *new)


def _found(reach: Reach, outcome: Outcome) -> tuple[Excerpt, ...]:
    """What a call gave: passages of our files, or else what stands in its words."""
    if outcome.passages:
        return tuple(_shared(each, reach) for each in merged(outcome.passages))
    return citations(outcome.text)


def _shared(excerpt: Excerpt, reach: Reach) -> Excerpt:
    """With the project that its file belongs to."""
    origin = reach.origin(excerpt.file_id)
    project, project_id = origin.get("project", ""), origin.get("project_id", "")
    return replace(excerpt, project=project, project_id=project_id)
