"""The default engine: llama.cpp in a child process, so that its faults do not end the server.

This side never imports the library. It loads when first needed, or when `load` is called.
"""

from __future__ import annotations

import re
import threading
import time
import unicodedata
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from webapp.engines.answer_form import checked
from webapp.engines.engine import (
    EmbedKind,
    EngineInfo,
    Event,
    Finished,
    Reading,
    Request,
    Text,
    Turn,
)
from webapp.engines.jobs import Job, Urgency
from webapp.engines.llama_host import Host
from webapp.engines.memory import available_bytes
from webapp.engines.model_files import chat_need_bytes, check_chat_model
from webapp.engines.wire import Frame, event_of, request_frame
from webapp.errors import EngineFailed, ModelFileMissing, StrataError

# Texts handed to the child ahead of the one it computes, so that it never waits for us.
_AHEAD: Final = 2
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class LlamaCppEngine:
    """One chat model and, if given, one embedding model, which loads when first used.

    `context_tokens` of 0 means the context the model was trained on; a longer one is cut to it.
    The prefixes are what the embedding model wants before questions and passages. What was read
    is kept in `kv_folder`, up to `kv_bytes`. A model that nobody asked for `unload_after_seconds`
    gives its memory back until it is needed again; 0 is never."""

    def __init__(
        self,
        chat_model: Path,
        embed_model: Path | None = None,
        *,
        context_tokens: int,
        threads: int,
        query_prefix: str = "",
        passage_prefix: str = "",
        kv_folder: Path | None = None,
        kv_bytes: int = 0,
        unload_after_seconds: float = 0.0,
    ) -> None:
        self._chat_model = chat_model
        self._embed_model = embed_model
        self._context_tokens = context_tokens
        self._threads = threads
        self._prefixes: dict[EmbedKind, str] = {"query": query_prefix, "passage": passage_prefix}
        self._kv = {"kv_folder": str(kv_folder or ""), "kv_bytes": kv_bytes}
        self._host = Host(self._settings, unload_after_seconds=unload_after_seconds)
        self._jobs: weakref.WeakSet[Job] = weakref.WeakSet()
        self._jobs_lock = threading.Lock()

    def load(self) -> None:
        """Begin loading and come back at once. EngineFailed if the model file is unusable."""
        self._host.start()

    def unload(self) -> None:
        """Give the memory back until the model is needed again. Conflict while it is at work."""
        self._host.unload()

    @property
    def child_pid(self) -> int | None:
        """The process that holds the model, if one lives."""
        return self._host.pid

    def describe(self) -> EngineInfo:
        context = self._host.facts.get("context_tokens", self._context_tokens)
        state = self._host.state
        return EngineInfo(
            "llama_cpp",
            self._chat_model.stem,
            state,
            context,
            self._host.problem,
            chat_need_bytes(self._chat_model, self._context_tokens),
            _available_in(int(time.monotonic())) if state in ("unloaded", "failed") else None,
        )

    def count(self, turns: Sequence[Turn], tools: Sequence[dict[str, Any]] = ()) -> int:
        """Does not wait for the queue: tokenizing goes on beside generation."""
        frame = {"task": "count", "turns": [asdict(turn) for turn in turns], "tools": list(tools)}
        job = Job(frame, urgency=None)
        self._host.submit(job)
        return int(_reply(job)["total"])

    def generate(self, request: Request) -> Iterator[Event]:
        job = Job(request_frame(checked(request)), Urgency.ANSWER, request.id)
        with self._jobs_lock:
            self._jobs.add(job)
        return self._events(job)

    def cancel(self, request_id: str) -> None:
        with self._jobs_lock:
            meant = [job for job in self._jobs if job.request_id == request_id]
        for job in meant:
            self._host.withdraw(job)

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> list[list[float]]:
        """Texts are taken in Unicode NFC, without white space at their ends."""
        if self._embed_model is None:
            raise EngineFailed("No embedding model is set.", do="Choose one in the settings.")
        urgency = Urgency.QUERY if kind == "query" else Urgency.PASSAGE
        frames = [self._embed_frame(index, text, kind) for index, text in enumerate(texts)]
        jobs = [Job(frame, urgency) for frame in frames]
        try:
            return list(self._vectors(jobs))
        finally:
            for job in jobs:
                self._host.withdraw(job)

    def close(self) -> None:
        self._host.close()

    def _settings(self) -> Frame:
        """The first frame for a new child. Looks at the file anew each time."""
        check_chat_model(self._chat_model, self._context_tokens, available_bytes())
        return {
            "chat_model": str(self._chat_model),
            "embed_model": str(self._embed_model or ""),
            "context_tokens": self._context_tokens,
            "threads": self._threads,
            **self._kv,
        }

    def _events(self, job: Job) -> Iterator[Event]:
        seen = _Seen()
        try:
            self._host.submit(job)
            while True:
                frame = _reply(job)
                event = seen.cancelled() if frame["kind"] == "cancelled" else event_of(frame)
                seen.note(event)
                yield event
                if isinstance(event, Finished):
                    return
        finally:
            self._host.withdraw(job)

    def _embed_frame(self, index: int, text: str, kind: EmbedKind) -> Frame:
        clean = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text)).strip()
        if not clean:
            raise EngineFailed(
                f"Text {index} is empty and has no meaning to compare.", do="Skip it."
            )
        return {"task": "embed", "text": self._prefixes[kind] + clean, "index": index}

    def _vectors(self, jobs: Sequence[Job]) -> Iterator[list[float]]:
        coming = iter(jobs)
        for job in islice(coming, _AHEAD):
            self._host.submit(job)
        for job in jobs:
            reply = _reply(job)
            if reply["kind"] == "cancelled":
                raise EngineFailed("The model was closed.", do="Start Strata again.")
            vector: list[float] = reply["vector"]
            for one_more in islice(coming, 1):
                self._host.submit(one_more)
            yield vector


@lru_cache(maxsize=1)
def _available_in(_second: int) -> int | None:
    """Looked up once a second: a page describes the engine many times."""
    return available_bytes()


class _Seen:
    """What is known of an answer that another side than the child has to end."""

    def __init__(self) -> None:
        self._reading = Reading(0, 0, 0)
        self._tokens = 0

    def note(self, event: Event) -> None:
        if isinstance(event, Reading):
            self._reading = event
        elif isinstance(event, Text):
            self._tokens = event.tokens

    def cancelled(self) -> Finished:
        return Finished(
            "cancelled", self._reading.total, self._reading.reused, self._tokens, 0.0, 0.0
        )


def _reply(job: Job) -> Frame:
    """The next frame of a job; raises the error it ended with."""
    reply = job.inbox.get()
    if isinstance(reply, StrataError):
        raise reply
    if reply["kind"] == "failed":
        kind = ModelFileMissing if reply["error"] == "ModelFileMissing" else EngineFailed
        raise kind(reply["what"], do=reply["do"])
    return reply
