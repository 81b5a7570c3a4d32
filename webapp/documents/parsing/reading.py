"""The server's side of reading a file: a fresh child, watched, and ended whatever it does."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Final

import psutil

from webapp.documents.document import Document
from webapp.documents.parsing import refusals
from webapp.documents.parsing.choosing import refuse_by_size
from webapp.documents.parsing.limits import USUAL, Limits
from webapp.documents.parsing.lines import Assembly, Line
from webapp.errors import StorageFailed, Unreadable

COMMAND: Final = (sys.executable, "-P", "-s", "-m", "webapp.documents.parsing.child")

_log = logging.getLogger(__name__)
_LONGEST_LINE: Final = 4_000_000
_LINES_AHEAD: Final = 8
_SECONDS_BETWEEN_LOOKS: Final = 0.2
_SECONDS_TO_END: Final = 2.0
_MOST_LOGGED: Final = 200
_LONGEST_LOGGED: Final = 500
_KEPT: Final = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TESSDATA_PREFIX")
_OUT_OF_MEMORY: Final = ("memory allocation of", "MemoryError", "bad_alloc", "out of memory")
_TIME_SIGNAL: Final = getattr(signal, "SIGXCPU", None)
_KILL_SIGNAL: Final = getattr(signal, "SIGKILL", None)

Progress = Callable[[str, int, int], None]


def read(
    path: Path,
    name: str,
    progress: Progress,
    cancelled: threading.Event,
    *,
    limits: Limits = USUAL,
    command: Sequence[str] = COMMAND,
) -> Document | None:
    """The document in the file at `path`, which came with the name `name`; None when cancelled.

    `progress(stage, done, total)` is called from this thread, `stage` is "reading" or "pictures".
    Unreadable says why there is no document; StorageFailed that the file is not there."""
    try:
        refuse_by_size(path.stat().st_size, limits.file_bytes)
    except OSError as fault:
        raise StorageFailed(
            f"The stored file cannot be read: {fault.strerror or fault}.",
            do="Attach it again.",
        ) from fault
    with _Child(command, limits) as child:
        child.order({"path": str(path.resolve()), "name": name, "limits": asdict(limits)})
        return child.document(progress, cancelled)


class _Child:
    """One child from start to end; leaving the block ends it and what it started."""

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        self._limits = limits
        self._started = self._next_look = time.monotonic()
        self._seconds = limits.seconds
        self._more: dict[str, float] = {}
        self._ran_out_of_memory = False
        self._lines: queue.Queue[bytes] = queue.Queue(_LINES_AHEAD)
        self._leaving = threading.Event()
        self._child = _started(command)
        self._logger = threading.Thread(target=self._copy_log, name="reading log", daemon=True)
        self._listener = threading.Thread(target=self._listen, name="reading", daemon=True)
        self._logger.start()
        self._listener.start()

    def __enter__(self) -> _Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leaving.set()
        self._kill()
        self._child.wait()
        self._listener.join(_SECONDS_TO_END)
        self._logger.join(_SECONDS_TO_END)
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            with contextlib.suppress(OSError, ValueError):
                _pipe(stream).close()

    def order(self, line: Line) -> None:
        with contextlib.suppress(OSError):  # one that has ended already is noticed when it is heard
            _pipe(self._child.stdin).write(json.dumps(line).encode("ascii") + b"\n")
            _pipe(self._child.stdin).flush()

    def document(self, progress: Progress, cancelled: threading.Event) -> Document | None:
        assembly = Assembly(self._limits.characters)
        for line in self._heard(cancelled):
            try:
                match line["kind"]:
                    case "progress" | "pictures" as kind:
                        done, total = int(line["done"]), int(line["total"])
                    case _:
                        if document := assembly.add(line):
                            return document
                        continue
            except (KeyError, TypeError, ValueError) as fault:
                raise refusals.damaged() from fault
            self._wait_longer(kind, total)
            progress("reading" if kind == "progress" else kind, done, total)
        if cancelled.is_set():
            return None
        raise self._death()

    def _heard(self, cancelled: threading.Event) -> Iterator[Line]:
        """Lines until the end of the child or until `cancelled`; Unreadable when it may not go on.

        Lines that are not ours end the child: whatever it is doing, it is not reading a file."""
        while not cancelled.is_set():
            self._look()
            try:
                line = self._lines.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except queue.Empty:
                continue
            if not line:
                return
            try:
                yield json.loads(line)
            except ValueError as fault:
                raise refusals.damaged() from fault

    def _look(self) -> None:
        """Unreadable when the child took too long or too much."""
        now = time.monotonic()
        if now > self._started + self._seconds:
            raise refusals.too_slow(self._seconds)
        if now > self._next_look:
            self._next_look = now + _SECONDS_BETWEEN_LOOKS
            if self._memory() > self._limits.memory_bytes:
                raise refusals.too_much_memory()

    def _memory(self) -> int:
        """What the child holds in memory, in bytes; the limits it sets itself are not everywhere
        kept (macOS) or there (Windows)."""
        try:
            return int(psutil.Process(self._child.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def _wait_longer(self, kind: str, total: int) -> None:
        limits = self._limits
        if kind == "pictures":
            more = min(total, limits.pages_to_ocr) * limits.seconds_to_ocr_a_page
        else:
            more = min(total, limits.pages) * limits.seconds_a_page
        self._more[kind] = max(more, self._more.get(kind, 0.0))
        self._seconds = limits.seconds + sum(self._more.values())

    def _death(self) -> Unreadable:
        """Why the child ended without a document."""
        try:
            code = self._child.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return refusals.damaged()
        self._logger.join(_SECONDS_TO_END)
        if -code == _TIME_SIGNAL:
            return refusals.too_slow(self._seconds)
        if -code == _KILL_SIGNAL or self._ran_out_of_memory:
            return refusals.too_much_memory()
        _log.warning("the program that reads files ended with %s", code)
        return refusals.damaged()

    def _kill(self) -> None:
        """With everything it started. Its group is its own (see `start_new_session`)."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self._child.pid, signal.SIGKILL)
            return
        with contextlib.suppress(psutil.Error):
            for one in psutil.Process(self._child.pid).children(recursive=True):
                one.kill()
        self._child.kill()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            stream = _pipe(self._child.stdout)
            while line := stream.readline(_LONGEST_LINE):
                self._put(line)
        self._put(b"")

    def _put(self, line: bytes) -> None:
        while not self._leaving.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=_SECONDS_BETWEEN_LOOKS)
                return

    def _copy_log(self) -> None:
        """The first lines go to the log; the rest is read so that the child can go on."""
        logged = 0
        with contextlib.suppress(OSError, ValueError):
            stream = _pipe(self._child.stderr)
            while piece := stream.readline(_LONGEST_LOGGED):
                line = piece.decode("utf-8", "replace").rstrip()
                self._ran_out_of_memory |= any(mark in line for mark in _OUT_OF_MEMORY)
                logged += 1
                if logged <= _MOST_LOGGED:
                    _log.info("%s", line)


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - our own program, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
        )
    except OSError as fault:
        raise refusals.not_started(str(fault.strerror or fault)) from fault


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("not a pipe")
    return stream


def _environment() -> dict[str, str]:
    """Almost nothing of ours, with this package in reach from any working directory."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    root = str(Path(__file__).parents[3])
    return {**kept, "PYTHONPATH": root, "PYTHONUTF8": "1"}
