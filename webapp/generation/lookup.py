"""Whether an answer needs the files of its thread and project, or what was said in earlier threads,
and what is found there.

The model decides in a reply that is held to a few words; the answer itself never is. What it
decides on is looked up by the same tools that it could call itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from webapp.chat import continuing, deciding, decision, followups, recall_decision
from webapp.chat.called import Called
from webapp.chat.citations import citations
from webapp.chat.decision import Decision
from webapp.chat.excerpts import Excerpt
from webapp.chat.messages import Message
from webapp.chat.prompt import Part
from webapp.documents.service import Documents
from webapp.documents.tools.tool import Outcome, Reach, failed
from webapp.engines.engine import Engine, Sampling
from webapp.errors import EngineFailed, StrataError
from webapp.generation.asides import aside
from webapp.generation.excerpts import Retrieved, listed, merged, shown
from webapp.generation.line import Run
from webapp.generation.reachable import scopes_of
from webapp.generation.recall import NAME, Past, Recall, quoted
from webapp.generation.sources import inlined_ids
from webapp.generation.tool_test import ToolTest
from webapp.generation.window import Window
from webapp.generation.within import Within
from webapp.threads.library import ThreadLibrary

log = logging.getLogger(__name__)

FileSearch = Literal["auto", "model", "always", "off"]
"""Who says that files are searched: the model, and where it cannot every question does (auto); the
model alone; nobody, they always are; or off."""
By = Literal["model", "decision", "automatic"]
"""Who wanted a call: the model by itself, the model when it was asked whether, or the rule."""

DECIDING: Final = "Deciding whether to look into the files."
DECIDING_ON_PAST: Final = "Deciding whether to look into earlier threads."
UNDECIDED: Final = "The model could not decide, so the files were searched with the question."
SILENT: Final = "The model could not decide, so the files were not searched."
NOT_NEEDED: Final = "The model saw nothing to look up in the message."
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
        recall: Recall | None = None,
    ) -> None:
        self._engine = engine
        self._library = library
        self._window = window
        self._documents = documents
        self.how = how
        self._clock_ms = clock_ms
        self._tool_test = tool_test
        self.recall = recall

    def offered(self, thread_id: str) -> tuple[dict[str, Any], ...]:
        """The tools that the model of this thread is given, if it calls them well."""
        if not self._tool_test or not self._tool_test.passed():
            return ()
        files = self._files_to_call(thread_id, (), Reach.files)
        within = Within(files, self._past(thread_id))
        return within.schemas(self._documents.search_settings.limit)

    def reach(self, thread_id: str, path: Sequence[Message]) -> Reach:
        """What calls for an answer on this path may see."""
        scopes, project = scopes_of(self._documents, self._library, thread_id)
        known = frozenset(inlined_ids(path))
        shared = project.name if project else ""
        return Reach(self._documents, scopes, self._documents.search_settings, known, shared)

    def look(self, run: Run) -> Retrieved:
        """What files and earlier threads add to the answer before it is begun."""
        path = self._window.path_of(run)
        asked = _asked(path)
        found = self._from_files(run, path, asked)
        return found if run.turn.halted or not asked else self._from_past(run, asked, found)

    def _from_files(self, run: Run, path: Sequence[Message], asked: Sequence[str]) -> Retrieved:
        """Nothing when it was stopped, and when the files cannot be looked at: an answer without
        them is better than none."""
        reach = self.reach(run.live.thread_id, path)
        try:
            names = [state.name for state in reach.searched()]
        except StrataError as error:
            log.warning("the files of %s cannot be looked at: %s", run.live.thread_id, error)
            return Retrieved()
        if self.how == "off" or not names or not asked:
            return Retrieved()
        if self._calls_by_itself(run):
            return Retrieved()
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
        return self.call(Retrieved(), Within(reach), tool, arguments, by=by, note=note)[0]

    def _from_past(self, run: Run, asked: Sequence[str], known: Retrieved) -> Retrieved:
        """`known` with what was said in earlier threads, if the model wants that looked up."""
        past = self._past(run.live.thread_id)
        if past is None or self._calls_by_itself(run):
            return known
        run.live.show("reading", DECIDING_ON_PAST)
        reworded = followups.is_reworded(asked[-1], asked[:-1])
        schema = recall_decision.SCHEMA if reworded else recall_decision.SHORT_SCHEMA
        reply = self._reply(run, recall_decision.decision_parts(asked), schema)
        words = recall_decision.wanted_in(reply or "")
        if run.turn.halted or words is None:
            return known
        query = followups.searched(asked[-1], asked[:-1], words)
        return self.call(known, Within(past=past), NAME, {"query": query}, by="decision")[0]

    def may_be_called(self, run: Run, path: Sequence[Message]) -> Within | None:
        """What calls that the model makes in this answer may see; None when it makes none."""
        files = self._files_to_call(run.live.thread_id, path, Reach.searched)
        past = self._past(run.live.thread_id)
        return Within(files, past) if files or past else None

    def _files_to_call(
        self, thread_id: str, path: Sequence[Message], some: Callable[[Reach], Iterable[Any]]
    ) -> Reach | None:
        """As long as there are `some`."""
        if self.how not in ("auto", "model"):
            return None
        try:
            reach = self.reach(thread_id, path)
            return reach if any(True for _ in some(reach)) else None
        except StrataError:
            return None

    def _past(self, thread_id: str) -> Past | None:
        return self.recall.within(thread_id) if self.recall else None

    def _calls_by_itself(self, run: Run) -> bool:
        if self._tool_test:
            self._tool_test.want()
        return bool(self.offered(run.live.thread_id)) and not run.begun

    def call(
        self,
        known: Retrieved,
        within: Within,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        by: By,
        note: str = "",
    ) -> tuple[Retrieved, str]:
        """`known` and what this call adds to it, and the result as a model that calls reads it."""
        begun = self._clock_ms()
        outcome = within.call(tool, arguments)
        traced = _traced(tool, arguments, by, outcome, note)
        traced["milliseconds"] = max(0, self._clock_ms() - begun)
        text, excerpts = _added(known, within.files, tool, outcome)
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
        return self._reply(run, said, decision.SCHEMA if reworded else decision.SHORT_SCHEMA)

    def _reply(self, run: Run, said: Sequence[Part], schema: dict[str, Any]) -> str | None:
        request = self._window.request(run.answer.id, said, deciding.LONGEST_REPLY, _CALM)
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


def _added(
    known: Retrieved, reach: Reach | None, tool: str, outcome: Outcome
) -> tuple[str, tuple[Excerpt, ...]]:
    """The text before the question and the excerpts, with those of this call."""
    if outcome.problem:
        return known.text, known.excerpts
    if tool == "list_attachments" and reach:
        text = listed([state.name for _, state in reach.files()])
        return "\n\n".join(filter(None, [known.text, text])), known.excerpts
    old = {each.identity for each in known.excerpts}
    new = tuple(each for each in _found(reach, outcome) if each.identity not in old)
    text = quoted(new) if tool == NAME else shown(new)
    return "\n\n".join(filter(None, [known.text, text])), (*known.excerpts, *new)


def _found(reach: Reach | None, outcome: Outcome) -> tuple[Excerpt, ...]:
    """What a call gave: passages of our files or threads, or else what stands in its words."""
    if outcome.excerpts:
        return outcome.excerpts
    if outcome.passages and reach:
        return tuple(_shared(each, reach) for each in merged(outcome.passages))
    return citations(outcome.text)


def _shared(excerpt: Excerpt, reach: Reach) -> Excerpt:
    """With the project that its file belongs to."""
    origin = reach.origin(excerpt.file_id)
    project, project_id = origin.get("project", ""), origin.get("project_id", "")
    return replace(excerpt, project=project, project_id=project_id)
