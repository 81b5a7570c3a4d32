"""The program in which llama.cpp lives: `python -m webapp.engines.llama_child`.

An assert inside llama.cpp ends this program and not the server. Frames come in by standard input
and go out by the standard output it was started with; whatever else prints goes to standard
error. Four threads: the first listens, so that a stop is heard while the model computes; one
works; one counts; one watches that the server still lives. The end of standard input ends it all.

In:  {models and settings}, then {"task": "generate" | "embed" | "count" | "cancel", "job": n, …},
     one "generate" or "embed" at a time.
Out: {"kind": "ready", …} or {"kind": "unloadable", …}; then {"job": n, "kind": …, "last": …}.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from webapp.engines.llama_chat import ChatModel
from webapp.engines.llama_embed import EmbedModel
from webapp.engines.llama_native import Log, StopFlag
from webapp.engines.wire import Frame, event_frame, receive, request_of, send, turns_of
from webapp.errors import EngineFailed, StrataError

_SECONDS_BETWEEN_LOOKS: Final = 2.0
# For what is in memory to be saved, before the server's patience with an ended child is over.
_SECONDS_TO_SAVE: Final = 1.5

Tell = Callable[[Frame], None]


class Work:
    """What the loaded models do for one frame. `embedding` is loaded when first needed."""

    def __init__(self, settings: Frame, stop: StopFlag, tell: Tell) -> None:
        self._settings = settings
        self._stop = stop
        self._tell = tell
        self._log = Log()
        self._embed_model: EmbedModel | None = None
        self.chat = ChatModel(
            Path(settings["chat_model"]),
            settings["context_tokens"],
            settings["threads"],
            stop,
            self._log,
            kv_folder=Path(settings["kv_folder"]) if settings["kv_folder"] else None,
            kv_bytes=settings["kv_bytes"],
        )

    def do(self, frame: Frame) -> None:
        """One task to its last frame, whatever happens on the way."""
        job = frame["job"]
        try:
            self._do(job, frame)
        except StrataError as fault:
            self._tell(_failed(job, fault))
        except Exception as fault:  # the child must live on; the trace goes to the log
            traceback.print_exc()
            told = EngineFailed(f"The model failed: {fault!r}.", do="Ask again.")
            self._tell(_failed(job, told))

    def _do(self, job: int, frame: Frame) -> None:
        match frame["task"]:
            case "generate":
                self.chat.answer(
                    request_of(frame), lambda event: self._tell(event_frame(job, event))
                )
            case "embed":
                vector = self._embedder().vector(frame["text"], frame["index"])
                self._tell({"job": job, "kind": "vector", "last": True, "vector": vector})
            case "count":
                total = len(self.chat.prompt(turns_of(frame), frame["tools"]))
                self._tell({"job": job, "kind": "count", "last": True, "total": total})

    def _embedder(self) -> EmbedModel:
        if self._embed_model is None:
            path = Path(self._settings["embed_model"])
            self._embed_model = EmbedModel(path, self._settings["threads"], self._stop, self._log)
        return self._embed_model


class Child:
    """The threads of this program and the two pipes to the server."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._outgoing_turn = threading.Lock()
        self._stop = StopFlag()
        self._current = 0
        self._loaded_up = threading.Event()
        self._tasks: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._counts: queue.SimpleQueue[Frame] = queue.SimpleQueue()

    def run(self) -> None:
        """Until the server closes the pipe."""
        settings = receive(self._incoming)
        if settings is None:
            return
        working = threading.Thread(target=self._work, args=(settings,), daemon=True)
        working.start()
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
        while (frame := receive(self._incoming)) is not None:
            self._hear(frame)
        if self._loaded_up.is_set():
            self._stop.raise_flag()
            self._tasks.put(None)
            working.join(_SECONDS_TO_SAVE)

    def _hear(self, frame: Frame) -> None:
        if frame["task"] == "cancel":
            if frame["job"] == self._current:
                self._stop.raise_flag()
        elif frame["task"] == "count":
            self._counts.put(frame)
        else:
            self._current = frame["job"]
            self._stop.lower()
            self._tasks.put(frame)

    def _work(self, settings: Frame) -> None:
        work = self._loaded(settings)
        threading.Thread(target=_each, args=(self._counts, work.do), daemon=True).start()
        if work.chat.notice:
            sys.stderr.write(f"ChatML is used: {work.chat.notice}\n")
        self._tell({"kind": "ready", "context_tokens": work.chat.context_tokens})
        self._loaded_up.set()
        while (frame := self._next(work)) is not None:
            work.do(frame)
        work.chat.memory.save()

    def _next(self, work: Work) -> Frame | None:
        """The next task, or None when there will be no more. What memory holds is written down
        while there is none, after some silence: often the next is only a moment away."""
        with suppress(queue.Empty):
            return self._tasks.get(timeout=work.chat.memory.silence())
        try:
            work.chat.memory.use_pause(lambda: not self._tasks.empty())
        except Exception:  # answers go on without; the trace goes to the log
            traceback.print_exc()
        return self._tasks.get()

    def _loaded(self, settings: Frame) -> Work:
        """The models, or the end of this program with a sentence for the server."""
        try:
            return Work(settings, self._stop, self._tell)
        except StrataError as fault:
            told: StrataError = fault
        except Exception as fault:  # told to the server; the trace goes to the log
            traceback.print_exc()
            told = EngineFailed(
                f"The model {settings['chat_model']} could not be loaded: {fault!r}.",
                do="Choose another model.",
            )
        self._tell({"kind": "unloadable", "what": told.what, "do": told.do})
        os._exit(0)

    def _tell(self, frame: Frame) -> None:
        try:
            with self._outgoing_turn:
                send(self._outgoing, frame)
        except OSError:
            os._exit(0)


def _each(frames: queue.SimpleQueue[Frame], do: Callable[[Frame], None]) -> None:
    while True:
        do(frames.get())


def _failed(job: int, fault: StrataError) -> Frame:
    error = type(fault).__name__
    told = {"error": error, "what": fault.what, "do": fault.do}
    return {"job": job, "kind": "failed", "last": True, **told}


def _end_with_parent(parent: int) -> None:
    """A second look besides the pipe: another process may have inherited its other end."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(0)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Child(sys.stdin.buffer, outgoing).run()
    os._exit(0)


if __name__ == "__main__":
    main()
