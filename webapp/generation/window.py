"""From a thread to the request that the engine gets, and to what a page says about it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from webapp.chat import continuing
from webapp.chat.assistant import of_thread
from webapp.chat.compaction import Due, SummaryRequest, summary_request
from webapp.chat.limits import Compacting, Limits, compacting, limits
from webapp.chat.messages import Message, Thread, new_message
from webapp.chat.overflow import Overflow, after_overflow
from webapp.chat.parameters import sampling
from webapp.chat.placeholders import filled_in
from webapp.chat.prompt import Part
from webapp.chat.scales import Scales
from webapp.chat.window import Plan, plan
from webapp.engines.engine import Engine, Request, Sampling, Turn
from webapp.errors import EngineFailed
from webapp.generation import sent
from webapp.generation.day import day, readers_zone
from webapp.generation.line import Run
from webapp.threads.library import ThreadLibrary

Tools = tuple[dict[str, Any], ...]
SETTINGS: Final = ("max_context_tokens", "max_output_tokens", "auto_compact")
"""Of a thread (`metadata.window`) or its assistant (`parameters`); the thread's go first."""


class Window:
    """Plans what is sent. `defaults` are the settings where thread and assistant have none."""

    def __init__(
        self,
        engine: Engine,
        library: ThreadLibrary,
        defaults: Mapping[str, object],
        clock_ms: Callable[[], int],
    ) -> None:
        self._engine = engine
        self._library = library
        self._defaults = dict(defaults)
        self._clock_ms = clock_ms
        self._scales: dict[tuple[str, str], Scales] = {}
        self._estimating = Scales()
        self._lock = threading.Lock()
        # Of a thread: the tools that its model is given. Set by who knows of files.
        self.tools: Callable[[str], Tools] = lambda _: ()

    def adopt(self, defaults: Mapping[str, object]) -> None:
        """Other settings, from the next request on."""
        self._defaults = dict(defaults)

    # --- for a page ---

    def outlook(self, thread_id: str, *, at: str | None = None, draft: str = "") -> Plan:
        """What would be sent if `draft` were asked now, below `at` or the active leaf. Estimated
        while the model is not loaded, for a page must not wait for it."""
        return self._look(thread_id, at, draft, None)

    def due(self, thread_id: str, at: str | None = None) -> Due | None:
        """What could be summarised now, whatever the settings say about when to."""
        return self._look(thread_id, at, "", "when_full").due

    def is_exact(self) -> bool:
        """Whether an outlook is counted with the model's own tokenizer."""
        return self._engine.describe().state == "ready"

    def settings(self, thread: Thread) -> dict[str, object]:
        """The settings that hold for this thread, by name."""
        assistant = of_thread(thread)
        parameters = assistant.parameters if assistant else {}
        own = thread.metadata.get("window")
        found = dict(self._defaults)
        for source in (parameters, own):
            if isinstance(source, Mapping):
                found.update({name: source[name] for name in SETTINGS if name in source})
        return found

    def told(self, instructions: str) -> str:
        """Instructions as they are sent for the reader that this is done for."""
        return filled_in(instructions, day(self._clock_ms(), readers_zone()))

    # --- for an answer ---

    def plan_for(self, run: Run, tightened: Overflow | None = None) -> Plan:
        """`tightened`: the engine found the last plan too long. Raises BadInput, with a sentence,
        when there is nothing to answer."""
        thread, path = self._library.thread(run.live.thread_id), self.path_of(run)
        held = self.limits(thread)
        if tightened is not None and run.plan_made is not None:
            held = after_overflow(held, tightened, run.plan_made.ledger.used)
        found, scales = run.retrieved.text, self._exact(self.tools(thread.id))
        made = self._plan(thread, path, scales, held=held, retrieved=found)
        made.check()
        run.plan_made = made
        return made

    def path_of(self, run: Run) -> list[Message]:
        """What the answer of a run follows on."""
        path = self._library.path_before(run.live.thread_id, run.answer.id)
        if run.begun:
            path.append(run.answer.with_text(run.begun).with_fields(status="stopped"))
            path.append(_asking(continuing.REQUEST))
        return path

    def free_for(self, run: Run) -> int:
        """Tokens that nothing needs yet of the window of this run."""
        thread = self._library.thread(run.live.thread_id)
        scales = self._exact(self.tools(thread.id))
        return self._plan(thread, self.path_of(run), scales).ledger.free

    def request_for(self, run: Run, made: Plan) -> Request:
        """Notes on the run what is sent, to be kept with the answer."""
        run.sent = made.parts
        run.record = {
            "left_out": len(made.left_out),
            "window_start": made.window_start,
            "sent": sent.record(made.parts, made.messages),
        }
        run.record |= run.retrieved.record(made.messages)
        request = self.request(run.answer.id, made.parts, made.ledger.reserve, self._sampling(run))
        return replace(request, tools=self.tools(run.live.thread_id))

    def going_on(self, run: Run, made: Plan, request: Request, more: Sequence[Part]) -> Request:
        """The same request with these further turns, of calls and what came of them."""
        said = (*made.parts, *more)
        run.record |= {"sent": sent.record(said, made.messages)}
        run.record |= run.retrieved.record(made.messages)
        return replace(request, turns=_turns(said))

    def _sampling(self, run: Run) -> Sampling:
        """What the thread's assistant says, and the usual for the rest."""
        assistant = of_thread(self._library.thread(run.live.thread_id))
        found: dict[str, Any] = sampling(assistant.parameters if assistant else {})
        return Sampling(**found)

    def request(self, id: str, parts: Sequence[Part], most: int, sampling: Sampling) -> Request:
        return Request(id, _turns(parts), most, sampling)

    # --- for a summary ---

    def summary_request(self, due: Due) -> SummaryRequest:
        return summary_request(due, lambda parts: self._engine.count(_turns(parts)))

    def tokens(self, text: str) -> int:
        return self._exact().text(text)

    # --- inside ---

    def _look(self, thread_id: str, at: str | None, draft: str, compact: Compacting | None) -> Plan:
        thread, path = self._library.thread(thread_id), self._library.path(thread_id, at)
        if self.is_exact():
            # A model that goes away meanwhile takes no page with it.
            with suppress(EngineFailed):
                scales = self._exact(self.tools(thread_id))
                return self._plan(thread, path, scales, draft=draft, compact=compact)
        return self._plan(thread, path, self._estimating, draft=draft, compact=compact)

    def _plan(
        self,
        thread: Thread,
        path: Sequence[Message],
        scales: Scales,
        *,
        draft: str = "",
        retrieved: str = "",
        held: Limits | None = None,
        compact: Compacting | None = None,
    ) -> Plan:
        return plan(
            path,
            scales,
            held or self.limits(thread),
            instructions=self.told(self._library.instructions(thread.id)),
            draft=draft,
            retrieved=retrieved,
            compact=compact or self.compacting(thread),
        )

    def compacting(self, thread: Thread) -> Compacting:
        return compacting(self.settings(thread)["auto_compact"])

    def limits(self, thread: Thread) -> Limits:
        settings = self.settings(thread)
        loaded = self._engine.describe().context_tokens
        return limits(settings["max_context_tokens"], settings["max_output_tokens"], loaded)

    def _exact(self, tools: Tools = ()) -> Scales:
        """Those of the model in use: what was counted once is not counted again."""
        about = self._engine.describe()
        key = (f"{about.engine} {about.model}", json.dumps(tools))
        with self._lock:
            found = self._scales.get(key)
            if found is None:
                self._scales = {old: kept for old, kept in self._scales.items() if old[0] == key[0]}
                found = self._scales[key] = self._new_scales(tools)
            return found

    def _new_scales(self, tools: Tools) -> Scales:
        def count(parts: Sequence[Part]) -> int:
            return self._engine.count(_turns(parts), tools)

        if not tools:
            return Scales(count)
        probe = _turns([("user", "x")])
        bare, whole = self._engine.count(probe), self._engine.count(probe, tools)
        return Scales(count, tools=max(whole - bare, 0))


def _asking(text: str) -> Message:
    return new_message(id="continue", thread_id="", role="user", text=text, created_at=0)


def _turns(parts: Sequence[Part]) -> tuple[Turn, ...]:
    return tuple(Turn(role, content) for role, content in parts)


def defaults(**settings: Any) -> dict[str, object]:
    """What holds where nobody chose: the loaded context, 2,048 tokens for an answer, and notes
    on earlier messages when the window is full."""
    chosen: dict[str, object] = {
        "max_context_tokens": None,
        "max_output_tokens": 2048,
        "auto_compact": "when_full",
    }
    return chosen | settings
